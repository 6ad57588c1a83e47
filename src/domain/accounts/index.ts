export { createAccount, SignUp } from './create.js';
