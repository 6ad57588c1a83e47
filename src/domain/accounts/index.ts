export { createAccount, SignUp } from './create.js';
export { EmailAddress } from './email.js';
export {
  changePassword,
  findPassword,
  isStillPassword,
  NewPassword,
  type OwnPassword,
} from './password.js';
export { isPasswordReset, resetPassword, sendPasswordReset } from './password-reset.js';
export { isSeenAgain, noteSeen } from './seen.js';
export { endOwnSessions, endSession, listSessions, type OwnSession, type SessionOwner } from './sessions.js';
export { findSuspension } from './suspension.js';
