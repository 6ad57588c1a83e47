import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import type { Prisma } from '../../infra/database/index.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { planInstall, writeInstall } from '../installations/install.js';
import { type Scope, storedScopes } from '../installations/scopes.js';
import { type AuthorizationRequest, INSTALLING_SCOPES, type InstallTarget } from './authorization-request.js';
import { canBePosedAs } from './redirect-uris.js';
import { removeSpentGrants } from './tokens.js';

/** Discord's documentation, OAuth2. */
const CODE_LIFETIME_MS = 100_000;

export interface AuthorizationDecision {
  /** Ignored if nothing is installed. */
  target: InstallTarget;
  guildId: bigint | null;
  scopes: string[];
  permissions: bigint;
}

export interface AuthorizationOutcome {
  code: string | null;
  scopes: Scope[];
  guildId: bigint | null;
  /** The permissions that the bot received. */
  permissions: bigint;
}

/**
 * Installs and grants a code in one transaction.
 * @throws UNAUTHENTICATED, INVALID_INPUT for a choice that was not offered, UNKNOWN_APPLICATION if it is deleted
 * concurrently, and the errors of `installApplication`
 */
export async function authorize(
  call: CallContext,
  request: AuthorizationRequest,
  decision: AuthorizationDecision,
): Promise<AuthorizationOutcome> {
  requirePerson(call);
  const target = chooseTarget(request, decision);
  const offered = request.scopes[target ?? 'SERVER'];
  const scopes = offered.filter((scope) => decision.scopes.includes(scope));
  if (scopes.length === 0) {
    throw invalidInput({
      path: 'scopes',
      code: 'BASE_TYPE_REQUIRED',
      message: 'Grant the application at least one permission.',
    });
  }
  const installing = scopes.filter((scope) => INSTALLING_SCOPES.includes(scope));
  const guildId = target === 'SERVER' && installing.length > 0 ? chooseGuild(request, decision) : null;
  const permissions = scopes.includes('bot') ? decision.permissions & request.permissions : 0n;
  const installs = target !== null && installing.length > 0;
  const where = { applicationId: request.application.id, ...(guildId === null ? {} : { guildId }) };
  const install = installs ? await planInstall(call, { ...where, scopes: installing, permissions }) : null;
  return writeInstall(call, where, async (write) => {
    const installation = await install?.(write);
    const code = answersWithCode(request) ? await grantCode(call, write, request, scopes, guildId) : null;
    const granted = scopes.includes('bot') ? BigInt(installation?.permissions ?? 0) : 0n;
    return { code, scopes, guildId, permissions: granted };
  });
}

/**
 * Whether everything was granted before, nothing is installed, and no other program can pose as the client (RFC 8252,
 * section 8.6).
 */
export async function isGrantedAlready(call: CallContext, request: AuthorizationRequest): Promise<boolean> {
  const { application, targets, redirectUri } = request;
  if (targets.length > 0 || redirectUri === null) return false;
  if (canBePosedAs(application, redirectUri)) return false;
  const where = allowedBefore(call, application.id);
  const grants = await call.read.oAuthGrant.findMany({ where, select: { scopes: true } });
  const granted = new Set(grants.flatMap((grant) => storedScopes(grant.scopes)));
  return request.scopes.SERVER.every((scope) => granted.has(scope));
}

/** Whether a grant from the authorization screen is still in effect. */
export async function isKnownClient(call: CallContext, applicationId: bigint): Promise<boolean> {
  return (await call.read.oAuthGrant.count({ where: allowedBefore(call, applicationId), take: 1 })) > 0;
}

/** Grants of client credentials have no code. */
function allowedBefore(call: CallContext, applicationId: bigint): Prisma.OAuthGrantWhereInput {
  return { applicationId, userId: requirePerson(call).user.id, codes: { some: {} } };
}

function chooseTarget(request: AuthorizationRequest, decision: AuthorizationDecision): InstallTarget | null {
  const [only, ...others] = request.targets;
  if (only === undefined) return null;
  if (others.length === 0) return only;
  if (request.targets.includes(decision.target)) return decision.target;
  throw invalidInput({
    path: 'target',
    code: 'BASE_TYPE_CHOICES',
    message: 'Choose where to install the application.',
  });
}

function chooseGuild(request: AuthorizationRequest, decision: AuthorizationDecision): bigint {
  const guildId = request.guildIsFixed ? request.guildId : decision.guildId;
  if (guildId !== null) return guildId;
  throw invalidInput({ path: 'guildId', code: 'BASE_TYPE_REQUIRED', message: 'Choose a server.' });
}

/** A bot alone can be installed without a code, even with a redirect URI (Discord's documentation, OAuth2). */
function answersWithCode({ redirectUri, wantsCode }: AuthorizationRequest): boolean {
  return redirectUri !== null && wantsCode;
}

async function grantCode(
  call: CallContext,
  write: Write,
  request: AuthorizationRequest,
  scopes: Scope[],
  guildId: bigint | null,
): Promise<string> {
  const code = randomToken(32);
  const expiresAt = new Date(call.clock.now() + CODE_LIFETIME_MS);
  const grant = await insertGrant(call, write, request, { scopes, guildId, endsAt: expiresAt });
  await write.db.authorizationCode.create({
    data: {
      hash: hashSecret(code),
      grantId: grant.id,
      redirectUri: request.redirectUriWasStated ? request.redirectUri : null,
      codeChallenge: request.codeChallenge,
      expiresAt,
    },
  });
  await write.audit({
    action: 'OAUTH_AUTHORIZE',
    applicationId: request.application.id,
    targetId: grant.userId,
    changes: { scopes },
  });
  return code;
}

async function insertGrant(
  call: CallContext,
  { db }: Write,
  request: AuthorizationRequest,
  { scopes, guildId, endsAt }: { scopes: Scope[]; guildId: bigint | null; endsAt: Date },
) {
  const { user } = requirePerson(call);
  await removeSpentGrants(call, db, { applicationId: request.application.id, userId: user.id });
  const withBot = scopes.includes('bot');
  return db.oAuthGrant.create({
    data: {
      id: call.nextId(),
      applicationId: request.application.id,
      userId: user.id,
      scopes,
      guildId: withBot ? guildId : null,
      endsAt,
    },
  });
}

/** RFC 6749, section 4.1.2.1. */
export function accessDenied(): DomainError {
  return new DomainError('ACCESS_DENIED');
}
