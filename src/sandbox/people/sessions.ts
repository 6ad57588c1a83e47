import { createHmac } from 'node:crypto';
import type { AppContext } from '../../context.js';
import { sessionCookie } from '../../http/page-sessions.js';
import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import type { SessionDescription } from '../protocol.js';
import type { Named } from '../worlds/build.js';

const LIFETIME_MS = 7 * 86_400_000;

/** Signs a person in without a password. */
export async function signIn(app: AppContext, { id }: Named): Promise<SessionDescription> {
  const token = randomToken(24);
  const at = new Date(app.clock.now());
  await app.callOfNobody().writeOne((db) =>
    db.authSession.create({
      data: {
        id: String(app.nextId()),
        userId: String(id),
        token: hashSecret(token),
        createdAt: at,
        updatedAt: at,
        expiresAt: new Date(at.getTime() + LIFETIME_MS),
      },
    }),
  );
  const signature = createHmac('sha256', app.keys.accounts[0]).update(token).digest('base64');
  const cookie = `${sessionCookie(app.addresses.publicUrl)}=${encodeURIComponent(`${token}.${signature}`)}`;
  return { token, cookie };
}
