export { createAccount, parseSignUp } from './create.js';
export type { FindPerson, PageSessions, Visitor } from './page-sessions.js';
