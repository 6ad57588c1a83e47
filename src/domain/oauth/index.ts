export { findTokenActor } from './access-tokens.js';
export {
  type AuthorizationQuery,
  type AuthorizationRequest,
  INSTALLING_SCOPES,
  type InstallTarget,
  parseAuthorizationQuery,
  RefusedAuthorization,
  readAuthorizationRequest,
} from './authorization-request.js';
export {
  type AuthorizationDecision,
  type AuthorizationOutcome,
  accessDenied,
  authorize,
  isGrantedAlready,
  isKnownClient,
} from './authorize.js';
export { grantClientCredentials } from './client-credentials.js';
export {
  authenticateClient,
  type Client,
  type ClientCredentials,
  createFindClient,
  type FindClient,
} from './clients.js';
export { type Authorization, getAuthorization } from './current.js';
export type { InstallableGuild } from './installable-guilds.js';
export { redeemCode } from './redeem-code.js';
export { refreshTokens } from './refresh.js';
export { revokeToken } from './revoke.js';
export { type ConsentDetails, findInstallation, loadConsentDetails, type MadeInstallation } from './screen.js';
export type { IssuedTokens } from './tokens.js';
