import { createHmac } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { createAuth } from '../../src/accounts/auth.js';
import { callContext } from '../../src/context.js';
import { createAccount } from '../../src/domain/accounts/index.js';
import { sessionCookie } from '../../src/http/page-sessions.js';
import type { Server } from '../../src/server.js';

type App = Server['app'];

/** The password of everybody whose account a test makes. */
export const PASSWORD = 'correct horse battery staple';

/** Counted once for all: it takes longer than everything else of a sign-up together, by intention. */
let passwordHash: Promise<string> | undefined;

const libraries = new WeakMap<App, ReturnType<typeof createAuth>>();

function libraryOf(app: App): ReturnType<typeof createAuth> {
  const library = libraries.get(app) ?? createAuth(app);
  libraries.set(app, library);
  return library;
}

/** Makes an account with a session, as signing up does once the password is hashed. */
export async function putAccount(
  app: App,
  { name, email }: { name: string; email: string },
): Promise<{ id: string; token: string; cookie: string }> {
  passwordHash ??= hashPassword(PASSWORD);
  const credential = { providerId: 'credential', issuer: 'local:credential', passwordHash: await passwordHash };
  const call = callContext(app, { kind: 'anonymous' });
  const user = await createAccount(call, { name, email, emailVerified: true }, credential);
  const { internalAdapter, secret } = await libraryOf(app).$context;
  const { token } = await internalAdapter.createSession(String(user.id));
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  const cookie = `${sessionCookie(app.addresses.publicUrl)}=${encodeURIComponent(`${token}.${signature}`)}`;
  return { id: String(user.id), token, cookie };
}
