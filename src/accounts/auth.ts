import { type BetterAuthOptions, type BetterAuthPlugin, betterAuth } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { bearer } from 'better-auth/plugins';
import { z } from 'zod';
import { type AppContext, callContext } from '../context.js';
import { createAccount, SignUp } from '../domain/accounts/index.js';
import { parseInput } from '../domain/parse-input.js';
import { COOKIE_PREFIX } from '../http/page-sessions.js';
import { ADDRESS_HEADER } from './address-header.js';
import { passingOutages, withoutOutage } from './outages.js';
import { withServiceTimes } from './service-times.js';
import { hashingSessionTokens } from './session-tokens.js';
import { sendVerificationMail } from './verification-mail.js';

/** Call this after the public URL is known. */
export function createAuth(app: AppContext) {
  const { publicUrl } = app.addresses;
  const { log } = app;
  const auth = betterAuth({
    appName: 'Causeway',
    baseURL: publicUrl,
    basePath: '/auth',
    secret: app.keys.accounts[0],
    database: (options: BetterAuthOptions) =>
      hashingSessionTokens(
        withServiceTimes(passingOutages(prismaAdapter(app.db.writer, { provider: app.db.dialect })(options)), app),
      ),
    emailAndPassword: { enabled: true },
    user: { modelName: 'authUser' },
    session: { modelName: 'authSession' },
    account: { modelName: 'authAccount' },
    verification: { modelName: 'authVerification' },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: publicUrl.startsWith('https:'),
      database: { generateId: () => String(app.nextId()) },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // The entry point checks origins itself.
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    onAPIError: { throw: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (_level, message, ...details: unknown[]) => log.error({ details: details.map(String) }, message),
    },
    plugins: [bearer(), signUp(app)],
  });
  return { ...auth, handler: async (request: Request) => withoutOutage(await auth.handler(request)) };
}

export type Auth = ReturnType<typeof createAuth>;

/** How the library labels its own passwords. */
const CREDENTIAL = { providerId: 'credential', issuer: 'local:credential' };

/** Replaces the library's sign-up, which creates account and user in two steps. */
function signUp(app: AppContext) {
  return {
    id: 'causeway-sign-up',
    endpoints: {
      signUpEmail: createAuthEndpoint('/sign-up/email', { method: 'POST', body: z.unknown() }, async (ctx) => {
        const { password, ...details } = parseInput(SignUp, ctx.body);
        const call = callContext(app, { kind: 'anonymous' });
        const passwordHash = await ctx.context.password.hash(password);
        const emailVerified = app.config.smtpUrl === null;
        const { id } = await createAccount(call, { ...details, emailVerified }, { ...CREDENTIAL, passwordHash });
        if (!emailVerified) await sendVerificationMail(app, details);
        const user = await ctx.context.internalAdapter.findUserById(String(id));
        if (!user) throw new Error('the new account was not found after sign-up');
        const session = await ctx.context.internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ token: session.token, user: { id: user.id, name: user.name, email: user.email } });
      }),
    },
  } satisfies BetterAuthPlugin;
}
