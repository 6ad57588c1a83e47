import { createEmailVerificationToken } from 'better-auth/api';
import { verifyJWT } from 'better-auth/crypto';
import type { AppContext } from '../context.js';
import type { KeyRing } from '../infra/crypto/instance-keys.js';

const LINK_LIFETIME_S = 24 * 60 * 60;

/** The library reads re-signed links immediately. */
const USED_WITHIN_S = 60;

export async function sendVerificationMail(
  app: AppContext,
  { email, name }: { email: string; name: string },
): Promise<void> {
  const token = await createEmailVerificationToken(app.keys.accounts[0], email, undefined, LINK_LIFETIME_S);
  await app.mailer.send({
    to: email,
    subject: 'Verify your email address',
    text: `Welcome to Causeway, ${name}.

Verify your email address with this link:
${app.addresses.publicUrl}/auth/verify-email?token=${token}

The link expires in ${LINK_LIFETIME_S / 3600} hours. If you did not sign up, you can ignore this email.
`,
  });
}

/** Re-signs tokens of older keys with the newest, the only one the library knows. */
export async function linkByNewest([newest, ...older]: KeyRing, token: string): Promise<string> {
  for (const key of older) {
    const payload = await verifyJWT<{ email?: unknown }>(token, key);
    if (typeof payload?.email === 'string') {
      return createEmailVerificationToken(newest, payload.email, undefined, USED_WITHIN_S);
    }
  }
  return token;
}
