import { createEmailVerificationToken } from 'better-auth/api';
import type { AppContext } from '../context.js';

/** How long the link in a mail works, in seconds. */
const LINK_LIFETIME_S = 24 * 60 * 60;

/** Sends the mail whose link proves that its reader has the address. */
export async function sendVerificationMail(
  app: AppContext,
  secret: string,
  { email, name }: { email: string; name: string },
): Promise<void> {
  const token = await createEmailVerificationToken(secret, email, undefined, LINK_LIFETIME_S);
  await app.mailer.send({
    to: email,
    subject: 'Verify your e-mail address',
    text: `Welcome to Causeway, ${name}.

Follow this link to show that this address is yours:
${app.addresses.publicUrl}/auth/verify-email?token=${token}

The link works for ${LINK_LIFETIME_S / 3600} hours. If you did not sign up, you can ignore this mail.
`,
  });
}
