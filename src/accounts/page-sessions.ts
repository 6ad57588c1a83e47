import type { AppContext } from '../context.js';
import { isPasswordReset } from '../domain/accounts/index.js';
import type { FindPerson, PageSessions } from '../http/page-sessions.js';
import type { Auth } from './auth.js';
import { csrfToken, csrfTokenFits } from './csrf.js';
import { requestPasswordReset, resetPassword } from './passwords.js';
import { signIn, signOut } from './sign-in.js';
import { signUp } from './sign-up.js';

export function createPageSessions(app: AppContext, auth: () => Promise<Auth>, findPerson: FindPerson): PageSessions {
  const keys = app.keys.accounts;
  return {
    findPerson,
    async signIn(credentials, visitor) {
      const response = await signIn(app, await auth(), credentials, visitor);
      return response.headers.getSetCookie();
    },
    async signUp(details, visitor) {
      const response = await signUp(app, await auth(), details, visitor);
      return response.headers.getSetCookie();
    },
    async signOut(visitor) {
      const response = await signOut(app, await auth(), findPerson, visitor);
      return response.headers.getSetCookie();
    },
    requestPasswordReset: (email, visitor) => requestPasswordReset(app, { email }, visitor),
    mayResetPassword: (token) => isPasswordReset(app.callOfNobody(), token),
    resetPassword: async (token, password, visitor) =>
      resetPassword(app, await auth(), { token, newPassword: password }, visitor),
    csrfToken: (headers) => csrfToken(keys, headers),
    csrfTokenFits: (headers, token) => csrfTokenFits(keys, headers, token),
  };
}
