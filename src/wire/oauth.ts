import type {
  RESTGetAPIOAuth2CurrentAuthorizationResult,
  RESTPostOAuth2AccessTokenResult,
} from 'discord-api-types/v10';
import type { Authorization, IssuedTokens } from '../domain/oauth/index.js';
import { renderApplicationSummary } from './applications.js';
import { renderGuild } from './guilds.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

export function renderAuthorization(authorization: Authorization): RESTGetAPIOAuth2CurrentAuthorizationResult {
  const { application, scopes, expiresAt, user } = authorization;
  return {
    application: {
      ...renderApplicationSummary(application),
      hook: true,
    } as RESTGetAPIOAuth2CurrentAuthorizationResult['application'],
    scopes: [...scopes] as RESTGetAPIOAuth2CurrentAuthorizationResult['scopes'],
    expires: wireTime(expiresAt),
    ...(user ? { user: renderUser(user) } : {}),
  };
}

/** See RFC 6749, section 5.1. */
export function renderTokens(
  tokens: IssuedTokens,
): Omit<RESTPostOAuth2AccessTokenResult, 'refresh_token'> & { refresh_token?: string; guild?: object } {
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresIn,
    ...(tokens.refreshToken === null ? {} : { refresh_token: tokens.refreshToken }),
    scope: tokens.scopes.join(' '),
    ...(tokens.guild ? { guild: renderGuild(tokens.guild) } : {}),
  };
}
