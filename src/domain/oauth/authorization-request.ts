import { z } from 'zod';
import type { Application } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';
import { snowflake } from '../input.js';
import type { Scope } from '../installations/scopes.js';
import { storedScopes } from '../installations/scopes.js';
import { isPermissionString, parsePermissions } from '../permissions.js';
import { isS256Challenge } from './pkce.js';
import { canBePosedAs, isRegistered, registeredUris } from './redirect-uris.js';
import { parseScope } from './scope.js';

export type InstallTarget = 'SERVER' | 'USER';

export interface AuthorizationRequest {
  application: Application;
  /** Scopes by installation target. Both lists are equal if nothing is installed. */
  scopes: Record<InstallTarget, Scope[]>;
  /** The user's choices. Without any, nothing is installed. */
  targets: InstallTarget[];
  permissions: bigint;
  /** The preselected server. */
  guildId: bigint | null;
  guildIsFixed: boolean;
  /** Null for an installation that ends on our own page. */
  redirectUri: string | null;
  redirectUriWasStated: boolean;
  /** Without a code, the response only reports the bot's permissions. */
  wantsCode: boolean;
  state: string | null;
  codeChallenge: string | null;
  /** `none` skips the screen if the user granted everything before. */
  prompt: 'consent' | 'none';
}

/** Reported at the client's redirect URI (RFC 6749, section 4.1.2.1). */
export class RefusedAuthorization extends Error {
  override readonly name = 'RefusedAuthorization';

  constructor(
    readonly application: Application,
    readonly refusal: DomainError,
    readonly redirectUri: string,
    readonly state: string | null,
  ) {
    super(refusal.message);
  }
}

const MAX_PARAMETER_LENGTH = 4_000;

/** A parameter may occur once (RFC 6749, section 3.1). */
const parameter = z.string().max(MAX_PARAMETER_LENGTH).optional();

const AuthorizationQuery = z.object({
  client_id: parameter,
  response_type: parameter,
  redirect_uri: parameter,
  scope: parameter,
  state: parameter,
  permissions: parameter,
  guild_id: parameter,
  disable_guild_select: parameter,
  integration_type: parameter,
  prompt: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
});

export type AuthorizationQuery = z.output<typeof AuthorizationQuery>;

/** @throws INVALID_REQUEST for a repeated or too long parameter */
export function parseAuthorizationQuery(query: unknown): AuthorizationQuery {
  const parsed = AuthorizationQuery.safeParse(query);
  if (parsed.success) {
    // An empty parameter counts as missing, but an empty `scope` asks for no scopes.
    const given = Object.entries(parsed.data).filter(([name, value]) => value !== '' || name === 'scope');
    return Object.fromEntries(given) as AuthorizationQuery;
  }
  const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw invalidRequest(`These parameters are repeated or too long: ${names}.`);
}

/**
 * Checks the redirect URI first, since later errors are reported there.
 * @throws INVALID_REQUEST if only the user may see the error, else {@link RefusedAuthorization}
 */
export function readAuthorizationRequest(application: Application, query: AuthorizationQuery): AuthorizationRequest {
  const redirectUri = chooseRedirectUri(application, query);
  try {
    return {
      application,
      redirectUri,
      redirectUriWasStated: query.redirect_uri !== undefined,
      wantsCode: query.response_type !== undefined,
      state: query.state ?? null,
      codeChallenge: readChallenge(application, query, redirectUri),
      prompt: readPrompt(query),
      permissions: readPermissions(application, query),
      ...readGuild(query),
      ...readScopes(application, query, redirectUri),
    };
  } catch (error) {
    if (!(error instanceof DomainError) || redirectUri === null) throw error;
    throw new RefusedAuthorization(application, error, redirectUri, query.state ?? null);
  }
}

function chooseRedirectUri(application: Application, query: AuthorizationQuery): string | null {
  const registered = registeredUris(application);
  if (query.redirect_uri === undefined) return query.response_type === undefined ? null : (registered[0] ?? null);
  if (isRegistered(query.redirect_uri, registered)) return query.redirect_uri;
  throw invalidRequest('redirect_uri is not one of the redirect URIs of this application.');
}

export const INSTALLING_SCOPES: readonly Scope[] = ['bot', 'applications.commands'];

function readScopes(
  application: Application,
  query: AuthorizationQuery,
  redirectUri: string | null,
): Pick<AuthorizationRequest, 'scopes' | 'targets'> {
  checkResponseType(query);
  const stated = asksForDefaults(query) ? null : parseScope(query.scope ?? '');
  const scopes = {
    SERVER: stated ?? storedScopes(application.serverInstallScopes),
    // A bot exists only in servers.
    USER: (stated && !isProvidedLink(application, query, stated)
      ? stated
      : storedScopes(application.userInstallScopes)
    ).filter((scope) => scope !== 'bot'),
  };
  const targets = installTargets(application, query, scopes);
  const offered = targets.length === 0 ? scopes.SERVER : targets.flatMap((target) => scopes[target]);
  const needsAnswer = offered.some((scope) => !INSTALLING_SCOPES.includes(scope));
  if (offered.length === 0) throw new DomainError('INVALID_SCOPE', 'At least one scope is required.');
  if (needsAnswer && query.response_type === undefined) {
    throw invalidRequest(
      'response_type is missing. Scopes other than bot and applications.commands require response_type=code.',
    );
  }
  if (needsAnswer && redirectUri === null) {
    throw invalidRequest('The application has no redirect URI for the response.');
  }
  return { scopes, targets };
}

/** Any of these parameters overrides the application's default install settings (Discord's documentation, OAuth2). */
function asksForDefaults(query: AuthorizationQuery): boolean {
  return query.scope === undefined && query.integration_type === undefined && query.redirect_uri === undefined;
}

/** The provided link states the server scopes. A user installation through it gets the user scopes instead. */
function isProvidedLink(application: Application, query: AuthorizationQuery, stated: Scope[]): boolean {
  const { serverInstall, userInstall, installLinkMode } = application;
  if (!serverInstall || !userInstall || installLinkMode !== 'PROVIDED' || query.integration_type !== undefined)
    return false;
  const provided = storedScopes(application.serverInstallScopes);
  return provided.length === stated.length && provided.every((scope) => stated.includes(scope));
}

function checkResponseType({ response_type: responseType }: AuthorizationQuery): void {
  if (responseType === undefined || responseType === 'code') return;
  throw new DomainError('UNSUPPORTED_RESPONSE_TYPE');
}

function installTargets(
  application: Application,
  query: AuthorizationQuery,
  scopes: Record<InstallTarget, Scope[]>,
): InstallTarget[] {
  const wanted = readIntegrationType(query);
  const installs = (target: InstallTarget) => scopes[target].some((scope) => INSTALLING_SCOPES.includes(scope));
  const enabled = { SERVER: application.serverInstall, USER: application.userInstall };
  const possible = (['SERVER', 'USER'] as const).filter(installs);
  if (possible.length === 0) return [];
  const targets = possible.filter((target) => enabled[target] && (wanted === null || wanted === target));
  if (targets.length > 0) return targets;
  throw invalidRequest('The application does not support this type of installation.');
}

function readIntegrationType({ integration_type: type }: AuthorizationQuery): InstallTarget | null {
  if (type === undefined) return null;
  if (type === '0') return 'SERVER';
  if (type === '1') return 'USER';
  throw invalidRequest('integration_type must be 0 (server) or 1 (user).');
}

/** Only S256. Required for public clients and custom-scheme redirect URIs. */
function readChallenge(application: Application, query: AuthorizationQuery, redirectUri: string | null): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = query;
  if (challenge === undefined) {
    if (method !== undefined) throw invalidRequest('code_challenge_method requires code_challenge.');
    if (redirectUri !== null && canBePosedAs(application, redirectUri)) {
      throw invalidRequest('This client must use PKCE: code_challenge is missing.');
    }
    return null;
  }
  if (method !== 'S256') throw invalidRequest('code_challenge_method must be S256.');
  if (!isS256Challenge(challenge)) throw invalidRequest('code_challenge must be a base64url-encoded SHA-256 hash.');
  return challenge;
}

function readPrompt({ prompt }: AuthorizationQuery): 'consent' | 'none' {
  if (prompt === undefined || prompt === 'consent') return 'consent';
  if (prompt === 'none') return 'none';
  throw invalidRequest('prompt must be consent or none.');
}

/** Drops unknown bits. */
function readPermissions(application: Application, query: AuthorizationQuery): bigint {
  const { permissions } = query;
  if (permissions === undefined) {
    return asksForDefaults(query) ? parsePermissions(application.serverInstallPermissions) : 0n;
  }
  if (isPermissionString(permissions)) return parsePermissions(permissions);
  throw invalidRequest('permissions must be a whole number of at most 32 digits.');
}

function readGuild(query: AuthorizationQuery): Pick<AuthorizationRequest, 'guildId' | 'guildIsFixed'> {
  const { guild_id: guildId, disable_guild_select: fixed } = query;
  if (guildId !== undefined && !/^\d{1,20}$/.test(guildId)) throw invalidRequest('guild_id must be a snowflake.');
  if (fixed !== undefined && fixed !== 'true' && fixed !== 'false') {
    throw invalidRequest('disable_guild_select must be true or false.');
  }
  return {
    guildId: guildId === undefined ? null : snowflake().parse(guildId),
    guildIsFixed: fixed === 'true' && guildId !== undefined,
  };
}

function invalidRequest(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
