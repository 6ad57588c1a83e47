import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestServer } from './server.js';

export interface ReadMail {
  /** Values by lower-case name, unfolded. */
  headers: Record<string, string[]>;
  body: string;
}

export function parseMail(text: string): ReadMail {
  const end = text.indexOf('\r\n\r\n');
  const headers: ReadMail['headers'] = {};
  for (const line of text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  const encoding = headers['content-transfer-encoding']?.[0] ?? '7bit';
  return { headers, body: decode(text.slice(end + 4), encoding).replaceAll('\r\n', '\n') };
}

function decode(body: string, encoding: string): string {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable': {
      const bytes = body
        .replaceAll('=\r\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, 'latin1').toString();
    }
    default:
      return body;
  }
}

export async function outboxOf(server: Pick<TestServer, 'app'>, to: string): Promise<ReadMail[]> {
  const folder = join(server.app.config.dataDir, 'outbox');
  const names = await readdir(folder).catch(() => []);
  const mails = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
  return mails.map(parseMail).filter(({ headers }) => headers.to?.[0] === to);
}

export interface Delivery {
  from: string;
  to: string[];
  mail: ReadMail;
}

export interface SmtpSink {
  url: string;
  /** The credentials of logins, as `user password`. */
  logins: string[];
  /** The next mail that was not returned yet. */
  next(): Promise<Delivery>;
  count(): number;
  close(): Promise<void>;
}

/** Starts an SMTP server. It refuses mails to the addresses in `refuse` and logins of the users in `refuseLogins`. */
export async function startSmtpSink(options: { refuse?: string[]; refuseLogins?: string[] } = {}): Promise<SmtpSink> {
  const sockets = new Set<Socket>();
  const waiting: ((delivery: Delivery) => void)[] = [];
  const deliveries: Delivery[] = [];
  const logins: string[] = [];
  let count = 0;
  const take = (delivery: Delivery) => {
    count += 1;
    const reader = waiting.shift();
    if (reader) reader(delivery);
    else deliveries.push(delivery);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    converse(socket, { take, logins, refuse: options.refuse ?? [], refuseLogins: options.refuseLogins ?? [] });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    logins,
    next: () =>
      new Promise((resolve) => {
        const delivery = deliveries.shift();
        if (delivery) resolve(delivery);
        else waiting.push(resolve);
      }),
    count: () => count,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Conversation {
  take(delivery: Delivery): void;
  logins: string[];
  refuse: string[];
  refuseLogins: string[];
}

function converse(socket: Socket, { take, logins, refuse, refuseLogins }: Conversation): void {
  let envelope: { from: string; to: string[] } = { from: '', to: [] };
  let data: string[] | null = null;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const inBrackets = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? '';
  say('220 sink.example ESMTP');
  createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (data) {
      if (line !== '.') {
        data.push(line.startsWith('..') ? line.slice(1) : line);
        return;
      }
      take({ ...envelope, mail: parseMail(data.map((text) => `${text}\r\n`).join('')) });
      data = null;
      say('250 taken');
      return;
    }
    const [verb = ''] = line.toUpperCase().split(/[ :]/, 1);
    switch (verb) {
      case 'EHLO':
        socket.write('250-sink.example\r\n250-8BITMIME\r\n250 AUTH PLAIN\r\n');
        break;
      case 'AUTH': {
        const [, user, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0');
        logins.push(`${user} ${password}`);
        say(refuseLogins.includes(user ?? '') ? '535 these credentials are not known' : '235 welcome');
        break;
      }
      case 'MAIL':
        envelope = { from: inBrackets(line), to: [] };
        say('250 ok');
        break;
      case 'RCPT':
        if (refuse.includes(inBrackets(line))) {
          say('550 nobody here by that name');
        } else {
          envelope.to.push(inBrackets(line));
          say('250 ok');
        }
        break;
      case 'DATA':
        data = [];
        say('354 go on');
        break;
      case 'QUIT':
        say('221 bye');
        socket.end();
        break;
      default:
        say('250 ok');
        break;
    }
  });
}
