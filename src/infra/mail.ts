import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import { type Clock, pause } from './clock.js';
import { Lazy } from './lazy.js';
import type { Logger } from './logger.js';

/** A mail to one person, as plain text. Nothing in it can become a header of its own. */
export interface Mail {
  /** The bare address. */
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /**
   * Takes a mail over, and never fails: what goes wrong is logged. Settles when the mail lies in the outbox; over SMTP at
   * once, and the delivery goes on by itself.
   */
  send(mail: Mail): Promise<void>;
  /** Waits for deliveries that are under way, for a while: before the process closes what it holds. */
  settle(): Promise<void>;
  /** Waits for deliveries that are under way, for a moment, and lets go of connections. */
  close(): Promise<void>;
}

interface Sender {
  /** The bare address mails come from. */
  from: string;
  clock: Clock;
  log: Logger;
  /** Is told what became of each mail. */
  onEnd?(outcome: 'sent' | 'failed'): void;
}

/** The mail in the library's terms. Addresses are handed over apart from names, so that nothing in them is parsed. */
function composed({ to, subject, text }: Mail, { from, clock }: Sender): SendMailOptions {
  return {
    from: { name: 'Causeway', address: from },
    to: { name: '', address: to },
    subject: oneLine(subject),
    text,
    date: new Date(clock.now()),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Writes each mail as a file of its own that mail programs open, and people read as it is, instead of sending it. */
export function createOutbox(folder: string, sender: Sender): Mailer {
  const composer = new Lazy(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ streamTransport: true, buffer: true });
  });
  return {
    async send(mail) {
      try {
        const { message } = await (await composer.get()).sendMail(composed(mail, sender));
        await writeWhole(folder, fileName(mail, sender.clock), unencoded(String(message), mail.text));
        sender.onEnd?.('sent');
      } catch (error) {
        sender.log.error({ err: error }, 'a mail could not be put into the outbox');
        sender.onEnd?.('failed');
      }
    },
    settle: async () => {},
    close: async () => (await composer.ifAsked())?.close(),
  };
}

/** The message with its text as it is, instead of an encoding that only matters on the way through mail servers. */
function unencoded(message: string, text: string): string {
  const [headers = ''] = message.split('\r\n\r\n', 1);
  const plain = headers.replace(/^(Content-Transfer-Encoding): .*$/m, '$1: 8bit');
  return `${plain}\r\n\r\n${text.replaceAll(/\r?\n/g, '\r\n')}`;
}

/** The time, whom it is for, and a few letters that keep equal names apart: files sort by time. */
function fileName({ to }: Mail, clock: Clock): string {
  const time = new Date(clock.now()).toISOString().replaceAll(':', '-');
  const person = to
    .toLowerCase()
    .replaceAll(/[^a-z0-9@.+_-]/g, '_')
    .slice(0, 100);
  return `${time}-${person}-${randomBytes(3).toString('hex')}.eml`;
}

/** Whoever lists the folder sees the file with all its content, or not at all. */
async function writeWhole(folder: string, name: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${name}.part`);
  try {
    await writeFile(unfinished, content, { mode: 0o600, flag: 'wx' });
    await rename(unfinished, join(folder, name));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Milliseconds a mail server may take to be reached, to greet, and to answer each command. */
const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

/** How long a process that stops waits for deliveries beside its connections, in milliseconds. */
const SETTLE_WAIT_MS = 5_000;

/** How long it waits for those that began since, in milliseconds: everything is closed within 1.5 s. */
const CLOSE_WAIT_MS = 500;

/**
 * Tells the log when a mail server cannot be reached or does not take the credentials of its address: at the start, before the
 * first mail of a person is lost. It may be away for a while only, so nothing fails.
 */
export async function warnUnlessReachable(url: string, log: Logger): Promise<void> {
  const { createTransport } = await import('nodemailer');
  try {
    await createTransport({ url, ...PATIENCE }).verify();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason }, 'the mail server of SMTP_URL cannot be used; no mail is sent until it can');
  }
}

/**
 * Sends over SMTP, through a few connections that are kept for a while.
 * @param url `smtp://` (with STARTTLS where the server offers it) or `smtps://`, with credentials where needed
 */
export function createSmtpMailer(url: string, sender: Sender): Mailer {
  const transport = new Lazy(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ pool: true, url, maxConnections: 3, ...PATIENCE });
  });
  const underWay = new Set<Promise<void>>();
  const deliver = async (mail: Mail) => {
    try {
      await (await transport.get()).sendMail(composed(mail, sender));
      sender.onEnd?.('sent');
    } catch (error) {
      sender.log.error({ err: error }, 'a mail could not be sent');
      sender.onEnd?.('failed');
    }
  };
  const settleWithin = async (ms: number) => {
    await Promise.race([Promise.all(underWay), pause(sender.clock, ms)]);
  };
  return {
    async send(mail) {
      const delivery = deliver(mail);
      underWay.add(delivery);
      void delivery.then(() => underWay.delete(delivery));
    },
    settle: () => settleWithin(SETTLE_WAIT_MS),
    async close() {
      await settleWithin(CLOSE_WAIT_MS);
      (await transport.ifAsked())?.close({ force: true });
    },
  };
}
