import { z } from 'zod';
import type { Config } from '../../config.js';
import { type Check, failure, messageOf, passed, skipped } from './check.js';

const Address = z.email();

/** @param sendTo an address that gets a test mail; null to send none */
export async function checkMail({ smtpUrl, mailFrom }: Config, sendTo: string | null): Promise<Check[]> {
  if (smtpUrl === null) {
    const text = 'SMTP_URL is not set; emails are files in DATA_DIR/outbox';
    return sendTo === null ? [skipped('mail', text)] : [failure('mail', text, 'Set SMTP_URL.')];
  }
  const { mailServerFault, sendOnce } = await import('../../infra/mail.js');
  const { host } = new URL(smtpUrl);
  const fault = await mailServerFault(smtpUrl);
  if (fault !== null) return [failure('mail', `${host} cannot be used: ${fault}`, adviceFor(fault))];
  if (sendTo === null) {
    return [passed('mail', `${host} accepts the connection and the login; send a mail with --send-mail ADDRESS`)];
  }
  if (!Address.safeParse(sendTo).success) return [failure('mail', `${sendTo} is not an email address`)];
  const { systemClock } = await import('../../infra/clock.js');
  const mail = { to: sendTo, subject: 'Test of Causeway', text: 'Emails of this instance arrive.\n' };
  try {
    const answer = await sendOnce(smtpUrl, mail, { from: mailFrom, clock: systemClock });
    return [passed('mail', `${host} accepted a mail from ${mailFrom} to ${sendTo}: ${answer}`)];
  } catch (error) {
    return [
      failure(
        'mail',
        `${host} refused a mail from ${mailFrom} to ${sendTo}: ${messageOf(error)}`,
        'Set MAIL_FROM to an address that the server may send from.',
      ),
    ];
  }
}

const ADVICE: [fault: RegExp, advice: string][] = [
  [
    /Invalid login|535|EAUTH|authenticat/i,
    'Correct the user and password in SMTP_URL. Encode characters such as @ and /.',
  ],
  [/certificate|self.signed|altnames/i, "Use the host name of the server's certificate, or set NODE_EXTRA_CA_CERTS."],
  [
    /wrong version number|greeting|EPROTO|SSL/i,
    'Use smtps:// for a port with TLS from the start (465), and smtp:// for one with STARTTLS (587).',
  ],
];

const AWAY =
  'Start the server or correct SMTP_URL. Until then, no email is sent, and new users cannot verify their address.';

function adviceFor(fault: string): string {
  return ADVICE.find(([pattern]) => pattern.test(fault))?.[1] ?? AWAY;
}
