import type { Application } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { Scope } from '../installations/scopes.js';
import { type Client, writeForClient } from './clients.js';
import { parseScope } from './scope.js';
import { type IssuedTokens, issueTokens, removeSpentGrants } from './tokens.js';

const ALLOWED: readonly Scope[] = [
  'identify',
  'email',
  'guilds',
  'applications.commands',
  'applications.commands.permissions.update',
];

/** A team has no e-mail address and no servers. */
const ALLOWED_TO_TEAMS: readonly Scope[] = [
  'identify',
  'applications.commands',
  'applications.commands.permissions.update',
];

/**
 * The token acts for the owner of the application or of its team (RFC 6749, section 4.4). Writes no audit entry,
 * because programs request such tokens often.
 * @param scope space-separated; `identify` by default
 * @throws UNAUTHORIZED_CLIENT for a public client, INVALID_SCOPE, INVALID_CLIENT if it is deleted concurrently
 */
export async function grantClientCredentials(
  call: CallContext,
  client: Client,
  scope: string | undefined,
): Promise<IssuedTokens> {
  const { application } = client;
  if (application.publicClient || client.byType === 'public') {
    throw new DomainError('UNAUTHORIZED_CLIENT', 'Public clients cannot use this grant type.');
  }
  const allowed = application.ownerTeamId === null ? ALLOWED : ALLOWED_TO_TEAMS;
  const scopes = parseScope(scope ?? 'identify');
  const refused = scopes.filter((name) => !allowed.includes(name));
  if (refused.length > 0) {
    throw new DomainError(
      'INVALID_SCOPE',
      `These scopes are not available with this grant type: ${refused.join(' ')}.`,
    );
  }
  const ownerUserId = await findOwner(call, application);
  if (ownerUserId === null) throw new DomainError('UNAUTHORIZED_CLIENT', 'The application has no owner to act for.');
  const of = { applicationId: application.id, userId: ownerUserId };
  return writeForClient(call, client, async (write) => {
    await removeSpentGrants(call, write.db, of);
    const grant = await write.db.oAuthGrant.create({
      data: { id: call.nextId(), ...of, scopes, clientCredentials: true },
    });
    return issueTokens(call, write, grant, { refresh: false });
  });
}

async function findOwner(call: CallContext, { ownerUserId, ownerTeamId }: Application): Promise<bigint | null> {
  if (ownerTeamId === null) return ownerUserId;
  const team = await call.read.team.findUnique({ where: { id: ownerTeamId }, select: { ownerUserId: true } });
  return team?.ownerUserId ?? null;
}
