import { InteractionResponseType } from 'discord-api-types/v10';
import { Prisma } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { autocompleteRequest, commandRequest, type InvokedCommand } from './command-requests.js';
import { componentRequest, type UsedComponent } from './component-requests.js';
import { deliverAndAwaitAnswer, deliverInteraction } from './deliver.js';
import { modalRequest, type SubmittedModal } from './modal-requests.js';
import type { InteractionRecord } from './record.js';
import { stateAt, tokenEnd } from './states.js';

/**
 * Runs a command as the caller.
 * @returns the interaction, once it was delivered or could not be
 * @throws what `commandRequest` throws
 */
export async function invokeCommand(
  call: CallContext,
  input: InvokedCommand & { targetId?: bigint | undefined },
): Promise<InteractionRecord> {
  return deliverInteraction(call, await commandRequest(call, input));
}

/**
 * Asks an application for choices of an option that is being typed.
 * @returns the interaction, once it was answered or has failed
 * @throws what `autocompleteRequest` throws
 */
export async function autocompleteCommand(call: CallContext, input: InvokedCommand): Promise<InteractionRecord> {
  return deliverAndAwaitAnswer(call, await autocompleteRequest(call, input));
}

/** Uses a component of a message as the caller. @throws what `componentRequest` throws */
export async function useComponent(call: CallContext, input: UsedComponent): Promise<InteractionRecord> {
  return deliverInteraction(call, await componentRequest(call, input));
}

/**
 * Sends a modal in that the caller was shown. It is sent once; one that could not be delivered may be sent again.
 * @throws UNAUTHENTICATED, UNKNOWN_INTERACTION for one that shows the caller no modal, CONFLICT for one that was sent already, and what
 *   `modalRequest` throws
 */
export async function submitModal(
  call: CallContext,
  { interactionId, components }: { interactionId: bigint } & Pick<SubmittedModal, 'components'>,
): Promise<InteractionRecord> {
  const shown = await findShown(call, interactionId);
  const request = await modalRequest(call, { interaction: shown, components });
  await takeModal(call, shown);
  const submitted = await deliverInteraction(call, request);
  if (stateAt(submitted, call.clock.now()) === 'FAILED') await giveModalBack(call, shown);
  return submitted;
}

/** The interaction that shows the caller a modal. */
async function findShown(call: CallContext, id: bigint): Promise<InteractionRecord> {
  const { user } = requirePerson(call);
  const shown = await call.read.interaction.findUnique({ where: { id, userId: user.id } });
  if (shown?.callbackType !== InteractionResponseType.Modal || call.clock.now() >= tokenEnd(id)) {
    throw new DomainError('UNKNOWN_INTERACTION');
  }
  if (shown.modal === null) throw alreadySent();
  return shown;
}

/** Of several who send it at once, one does. */
async function takeModal(call: CallContext, { id }: InteractionRecord): Promise<void> {
  const where = { id, modal: { not: Prisma.DbNull } };
  const { count } = await call.writeOne((db) => db.interaction.updateMany({ where, data: { modal: Prisma.DbNull } }));
  if (count === 0) throw alreadySent();
}

async function giveModalBack(call: CallContext, { id, modal }: InteractionRecord): Promise<void> {
  const data = { modal: modal ?? Prisma.DbNull };
  await call.writeOne((db) => db.interaction.updateMany({ where: { id }, data }));
}

function alreadySent(): DomainError {
  return new DomainError('CONFLICT', 'This modal was sent already.');
}
