import { z } from 'zod';
import { createSigningKeys } from '../../infra/crypto/keys.js';
import type { Application, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { nameText, trimmedText } from '../input.js';
import { limits } from '../limits.js';
import { requireCapacityForApplications } from '../owned.js';
import { accessTeam } from '../teams/access.js';
import { newBotToken, newClientSecret } from './new-secrets.js';

export const NewApplication = z.object({
  name: nameText(limits.applicationName.min, limits.applicationName.max),
  description: trimmedText(0, limits.applicationDescription).nullish(),
});

interface CreateApplicationInput extends z.output<typeof NewApplication> {
  /** The owning team; the caller by default. */
  teamId?: bigint | undefined;
}

const DEFAULT_SCOPES = ['bot', 'applications.commands'];

/**
 * The caller must be allowed to transfer applications to the team.
 * @returns the application and both secrets, which are never shown again
 * @throws UNAUTHENTICATED, LIMIT_EXCEEDED; for a team UNKNOWN_TEAM, MISSING_PERMISSIONS
 */
export async function createApplication(
  call: CallContext,
  input: CreateApplicationInput,
): Promise<{ application: Application; clientSecret: string; botToken: string }> {
  const id = call.nextId();
  const clientSecret = newClientSecret(call);
  const botToken = newBotToken(call, id);
  const credentials = { ...createSigningKeys(), ...clientSecret.columns, ...botToken.columns };
  const { teamId, name, description } = input;
  const data = { id, name, description: description ?? '', ...credentials, ...ownership(call, teamId) };
  const owner = teamId === undefined ? topics.user(requirePerson(call).user.id) : topics.team(teamId);
  const streams = [topics.application(id), topics.user(id), owner];
  const application = await call.write((write) => insert(call, write, data, teamId), { streams });
  return { application, clientSecret: clientSecret.secret, botToken: botToken.token };
}

function ownership(call: CallContext, teamId: bigint | undefined): { ownerUserId: bigint } | { ownerTeamId: bigint } {
  const { user } = requirePerson(call);
  return teamId === undefined ? { ownerUserId: user.id } : { ownerTeamId: teamId };
}

type Columns = Omit<
  Prisma.ApplicationUncheckedCreateInput,
  'serverInstallScopes' | 'userInstallScopes' | 'redirectUris'
> & { id: bigint };

async function insert(
  call: CallContext,
  { db, record, audit }: Write,
  data: Columns,
  teamId: bigint | undefined,
): Promise<Application> {
  const { id, name } = data;
  const team = teamId === undefined ? null : await accessTeam(call, teamId, 'receiveApplication', db);
  const ownerUserId = team?.ownerUserId ?? requirePerson(call).user.id;
  // This event also makes the transaction lock the owner's stream.
  record({ type: 'PORTAL_HOME_UPDATED', userId: ownerUserId });
  await requireCapacityForApplications(db, ownerUserId);
  await db.user.create({ data: { id, username: name, bot: true } });
  const created = await db.application.create({
    data: {
      ...data,
      serverInstallScopes: DEFAULT_SCOPES,
      userInstallScopes: ['applications.commands'],
      redirectUris: [],
    },
  });
  await audit({ action: 'APPLICATION_CREATE', applicationId: id, targetId: id, changes: { name } });
  if (teamId !== undefined) record({ type: 'TEAM_UPDATED', teamId });
  return created;
}
