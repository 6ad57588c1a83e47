import { createHmac } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { createAuth } from '../../src/accounts/auth.js';
import { callContext } from '../../src/context.js';
import { createAccount } from '../../src/domain/accounts/index.js';
import { sessionCookie } from '../../src/http/page-sessions.js';
import type { Server } from '../../src/server.js';

type App = Server['app'];

export const PASSWORD = 'correct horse battery staple';

/** Computed once, because hashing takes longer than the rest of a sign-up. */
let passwordHash: Promise<string> | undefined;

const libraries = new WeakMap<App, ReturnType<typeof createAuth>>();

function libraryOf(app: App): ReturnType<typeof createAuth> {
  const library = libraries.get(app) ?? createAuth(app);
  libraries.set(app, library);
  return library;
}

/** Makes an account with a session, as a sign-up does after hashing the password. */
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
