export { createAccount, SignUp } from './create.js';
export { isSeenAgain, noteSeen } from './seen.js';
