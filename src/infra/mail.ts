import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import { Lazy } from './caching/lazy.js';
import { type Clock, pause } from './clock.js';
import type { Logger } from './observability/logger.js';

/** Values cannot inject headers. */
export interface Mail {
  /** Address without a name. */
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Logs failures and never rejects. An outbox settles after the write, SMTP before the delivery ends. */
  send(mail: Mail): Promise<void>;
  /** Waits some seconds for running deliveries. */
  settle(): Promise<void>;
  /** Waits briefly for running deliveries, then closes the connections. */
  close(): Promise<void>;
}

interface Sender {
  /** Address without a name. */
  from: string;
  clock: Clock;
  log: Logger;
  onEnd?(outcome: 'sent' | 'failed'): void;
}

/** Addresses are passed separately from names, so that the library parses neither. */
function composed({ to, subject, text }: Mail, { from, clock }: Pick<Sender, 'from' | 'clock'>): SendMailOptions {
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

/** Writes mails as files that mail programs can open. */
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
        sender.log.error({ err: error }, 'Could not write an email to the outbox');
        sender.onEnd?.('failed');
      }
    },
    settle: async () => {},
    close: async () => (await composer.ifAsked())?.close(),
  };
}

/** Replaces the encoded body with plain text, which people can read. */
function unencoded(message: string, text: string): string {
  const [headers = ''] = message.split('\r\n\r\n', 1);
  const plain = headers.replace(/^(Content-Transfer-Encoding): .*$/m, '$1: 8bit');
  return `${plain}\r\n\r\n${text.replaceAll(/\r?\n/g, '\r\n')}`;
}

/** The time comes first, so that files sort by it. */
function fileName({ to }: Mail, clock: Clock): string {
  const time = fileTime(clock.now());
  const person = to
    .toLowerCase()
    .replaceAll(/[^a-z0-9@.+_-]/g, '_')
    .slice(0, 100);
  return `${time}-${person}-${randomBytes(3).toString('hex')}.eml`;
}

function fileTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(':', '-');
}

/** Also matches the partial file of a killed process. */
const MAIL_FILE = /^\.?(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)-.*\.eml(\.part)?$/;

/**
 * Removes mails of an outbox by the time in their names. Other files stay.
 * @param before milliseconds since the Unix epoch
 * @throws the reason of `signal` when it is aborted
 */
export async function removeOldMails(folder: string, before: number, signal: AbortSignal): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const [, time] = MAIL_FILE.exec(name) ?? [];
    if (time === undefined || time >= fileTime(before)) continue;
    signal.throwIfAborted();
    await rm(join(folder, name), { force: true });
  }
}

/** A reader of the folder never sees a partial file. */
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

/** Milliseconds. */
const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

const SETTLE_WAIT_MS = 5_000;

/** A stopping process closes everything within 1.5 s. */
const CLOSE_WAIT_MS = 500;

/** Does not throw, because the server may come back. */
export async function warnUnlessReachable(url: string, log: Logger): Promise<void> {
  const reason = await mailServerFault(url);
  if (reason === null) return;
  log.warn({ reason }, 'The mail server of SMTP_URL is not available; no email is sent until it is');
}

/**
 * Connects and logs in, and sends nothing.
 * @returns why the server cannot be used, or null
 */
export async function mailServerFault(url: string): Promise<string | null> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, ...PATIENCE });
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    transport.close();
  }
}

/**
 * Sends one mail over a connection of its own.
 * @returns the answer of the server
 * @throws the error of the server or the connection
 */
export async function sendOnce(url: string, mail: Mail, sender: Pick<Sender, 'from' | 'clock'>): Promise<string> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, ...PATIENCE });
  try {
    const { response } = await transport.sendMail(composed(mail, sender));
    return response;
  } finally {
    transport.close();
  }
}

/** @param url `smtp://` (STARTTLS if the server offers it) or `smtps://`, with credentials if needed */
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
      sender.log.error({ err: error }, 'Could not send an email');
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
