import type { Application } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { Scope } from '../installations/scopes.js';
import { type Client, writeForClient } from './clients.js';
import { parseScope } from './scope.js';
import { type IssuedTokens, issueTokens, removeSpentGrants } from './tokens.js';

/** What an application may ask for on behalf of its owner (decisions 26). */
const ALLOWED: readonly Scope[] = [
  'identify',
  'email',
  'guilds',
  'applications.commands',
  'applications.commands.permissions.update',
];

/** What an application of a team may ask for: a team has no e-mail address and no servers (decisions 26). */
const ALLOWED_TO_TEAMS: readonly Scope[] = [
  'identify',
  'applications.commands',
  'applications.commands.permissions.update',
];

/**
 * Gives an application a token that acts for its owner, for that of its team where one owns it (RFC 6749, section 4.4). There is no refresh token.
 * @param scope space-separated; `identify` when not given
 * @throws UNAUTHORIZED_CLIENT for a public client, INVALID_SCOPE, and INVALID_CLIENT when it is deleted meanwhile
 */
export async function grantClientCredentials(
  call: CallContext,
  client: Client,
  scope: string | undefined,
): Promise<IssuedTokens> {
  const { application } = client;
  if (application.publicClient || client.byType === 'public') {
    throw new DomainError('UNAUTHORIZED_CLIENT', 'A public client cannot use this grant.');
  }
  const allowed = application.ownerTeamId === null ? ALLOWED : ALLOWED_TO_TEAMS;
  const scopes = parseScope(scope ?? 'identify');
  const refused = scopes.filter((name) => !allowed.includes(name));
  if (refused.length > 0) {
    throw new DomainError('INVALID_SCOPE', `Not available with this grant: ${refused.join(' ')}.`);
  }
  const ownerUserId = await findOwner(call, application);
  if (ownerUserId === null) throw new DomainError('UNAUTHORIZED_CLIENT', 'The application has no owner to act for.');
  const of = { applicationId: application.id, userId: ownerUserId };
  // On its own, so that tokens given at the same time do not conflict with one another.
  await call.writeOne((db) => removeSpentGrants(call, db, of));
  return writeForClient(call, client, async (write) => {
    const grant = await write.db.oAuthGrant.create({
      data: { id: call.nextId(), ...of, scopes, clientCredentials: true },
    });
    return issueTokens(call, write, grant, { refresh: false });
  });
}

/** The person an application belongs to, or who owns its team. */
async function findOwner(call: CallContext, { ownerUserId, ownerTeamId }: Application): Promise<bigint | null> {
  if (ownerTeamId === null) return ownerUserId;
  const team = await call.read.team.findUnique({ where: { id: ownerTeamId }, select: { ownerUserId: true } });
  return team?.ownerUserId ?? null;
}
