export { PersonalTokens, storePersonalTokenUse } from './authenticate.js';
export { createPersonalToken, NewPersonalToken, type PersonalTokenWithSecret } from './create.js';
export { listPersonalTokens } from './list.js';
export { revokePersonalToken } from './revoke.js';
export { isPersonalToken, personalTokenHint } from './token.js';
