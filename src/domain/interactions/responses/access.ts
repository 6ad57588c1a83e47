import { secretMatches } from '../../../infra/crypto/secrets.js';
import type { Interaction, Reader } from '../../../infra/database/index.js';
import { accessApplication } from '../../applications/access.js';
import type { ApplicationViews } from '../../applications/views.js';
import { type Actor, type CallContext, requirePerson } from '../../call.js';
import { DomainError, isAllowed } from '../../errors.js';
import { hasEnded } from '../delivery/uninstalled.js';
import { isAcknowledged, isOpen, tokenEnd } from '../states.js';
import { interactionOfToken } from './tokens.js';

interface TokenReader {
  read: Reader;
  applications: ApplicationViews;
  /** Milliseconds since the Unix epoch. */
  now: number;
}

type InteractionActor = Extract<Actor, { kind: 'interaction' }>;

/**
 * Authenticates the first answer.
 * @throws UNKNOWN_INTERACTION also if the application was uninstalled, INVALID_WEBHOOK_TOKEN for the token of another
 * interaction
 */
export async function actorOfCallback(reader: TokenReader, id: bigint, token: string): Promise<InteractionActor> {
  const actor = await findActor(reader, id);
  if (!actor || hasEnded(actor.interaction)) throw new DomainError('UNKNOWN_INTERACTION');
  if (!secretMatches(token, actor.interaction.tokenHash)) throw new DomainError('INVALID_WEBHOOK_TOKEN');
  return actor;
}

/**
 * Authenticates later requests.
 * @throws INVALID_WEBHOOK_TOKEN also if the token belongs to another application or has expired, no answer came in
 * time, or the application was uninstalled
 */
export async function actorOfFollowUp(
  reader: TokenReader,
  applicationId: bigint,
  token: string,
): Promise<InteractionActor> {
  const id = interactionOfToken(token);
  const actor = id === null ? null : await findActor(reader, id);
  if (!actor || !isGood(actor, token, reader.now) || actor.application.id !== applicationId) {
    throw new DomainError('INVALID_WEBHOOK_TOKEN');
  }
  return actor;
}

function isGood({ interaction }: InteractionActor, token: string, now: number): boolean {
  const isAlive = now < tokenEnd(interaction.id) && (isOpen(interaction, now) || isAcknowledged(interaction, now));
  return secretMatches(token, interaction.tokenHash) && isAlive;
}

async function findActor({ read, applications }: TokenReader, id: bigint): Promise<InteractionActor | null> {
  const interaction = await read.interaction.findUnique({ where: { id } });
  const application = interaction && (await applications.application(interaction.applicationId));
  return application && { kind: 'interaction', user: application.bot, application, interaction };
}

/**
 * The caller must have triggered the interaction, or be allowed to view the application's interactions.
 * @throws UNAUTHENTICATED, UNKNOWN_INTERACTION
 */
export async function accessInteraction(call: CallContext, id: bigint): Promise<Interaction> {
  const { user } = requirePerson(call);
  const interaction = await call.read.interaction.findUnique({ where: { id } });
  if (!interaction) throw new DomainError('UNKNOWN_INTERACTION');
  if (interaction.userId !== user.id && !(await develops(call, interaction))) {
    throw new DomainError('UNKNOWN_INTERACTION');
  }
  return interaction;
}

function develops(call: CallContext, { applicationId }: Pick<Interaction, 'applicationId'>): Promise<boolean> {
  return isAllowed(() => accessApplication(call, applicationId, 'viewInteractions'));
}
