import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/infra/clock.js';
import { createOutbox, createSmtpMailer, type Mail, type Mailer, warnUnlessReachable } from '../../src/infra/mail.js';
import { ManualClock } from '../harness/clock.js';
import { readableLog } from '../harness/log.js';
import { parseMail, type SmtpSink, startSmtpSink } from '../harness/mails.js';

const { log, lines } = readableLog();
const sender = { from: 'no-reply@causeway.example', clock: new ManualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6)), log };
const mail: Mail = { to: 'ada@people.example', subject: 'Hello', text: 'A first line\nand a second.\n' };

let folder: string;
beforeEach(async () => {
  lines.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'causeway-mail-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function onlyMail() {
  const [name = '', ...more] = await readdir(folder);
  expect(more).toEqual([]);
  const raw = await readFile(join(folder, name), 'utf8');
  return { name, raw, ...parseMail(raw) };
}

describe('the outbox', () => {
  it('keeps each mail in a file of its own, whose name has the time and the recipient', async () => {
    await createOutbox(folder, sender).send(mail);
    const { name, headers, body } = await onlyMail();
    expect(name).toMatch(/^2026-01-02T03-04-05\.006Z-ada@people\.example-[0-9a-f]{6}\.eml$/);
    expect(headers).toMatchObject({
      from: ['Causeway <no-reply@causeway.example>'],
      to: ['ada@people.example'],
      subject: ['Hello'],
      date: ['Fri, 02 Jan 2026 03:04:05 +0000'],
      'auto-submitted': ['auto-generated'],
    });
    expect(body).toBe(mail.text);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it('has readable text in its files, in any script', async () => {
    const text = `Grüße, Möwe, かもめ\nhttp://localhost:4000/auth/verify-email?token=${'a=b'.repeat(100)}\n.\n`;
    await createOutbox(folder, sender).send({ ...mail, text });
    const { raw } = await onlyMail();
    expect(raw.replaceAll('\r\n', '\n')).toContain(text);
  });

  it('keeps a hundred mails of one moment apart, and leaves no unfinished file', async () => {
    const outbox = createOutbox(folder, sender);
    await Promise.all(Array.from({ length: 100 }, () => outbox.send(mail)));
    const names = await readdir(folder);
    expect(names).toHaveLength(100);
    expect(names.filter((name) => !name.endsWith('.eml'))).toEqual([]);
  });

  it('never uses an address as a path', async () => {
    await createOutbox(folder, sender).send({ ...mail, to: '../../../../etc/x@y.example' });
    expect((await onlyMail()).name).toMatch(/Z-\.\._\.\._\.\._\.\._etc_x@y\.example-[0-9a-f]{6}\.eml$/);
  });

  it('that cannot be written fails no request, and is logged', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await createOutbox(join(file, 'outbox'), sender).send(mail);
    expect(lines.join()).toContain('Could not write an email to the outbox');
  });
});

const INJECTIONS: [string, Partial<Mail>][] = [
  ['a subject with CR LF', { subject: 'Hi\r\nBcc: eve@people.example' }],
  ['a subject with LF', { subject: 'Hi\nBcc: eve@people.example' }],
  ['a subject with CR', { subject: 'Hi\rBcc: eve@people.example' }],
  ['a subject with a line separator', { subject: 'Hi\u2028Bcc: eve@people.example' }],
  ['a subject with an empty line', { subject: 'Hi\r\n\r\nBcc: eve@people.example\r\n' }],
  ['an address with CR LF', { to: 'ada@people.example\r\nBcc: eve@people.example' }],
  ['a list for an address', { to: 'ada@people.example, eve@people.example' }],
  ['an address with a second one in brackets', { to: 'ada@people.example> <eve@people.example' }],
  ['a text that looks like headers', { text: 'Bcc: eve@people.example\r\n\r\nhello' }],
  ['a text with the end of a transmission', { text: 'a\r\n.\r\nMAIL FROM:<eve@people.example>\r\n' }],
];

describe('a mail gets no other recipients or headers', () => {
  it.each(INJECTIONS)('by %s', async (_case, change) => {
    await createOutbox(folder, sender).send({ ...mail, ...change });
    const { headers } = await onlyMail();
    expect(Object.keys(headers).sort()).toEqual([
      'auto-submitted',
      'content-transfer-encoding',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(Object.values(headers).map((values) => values.length)).toEqual(Array(9).fill(1));
  });

  it.each(INJECTIONS)('over SMTP by %s', async (_case, change) => {
    const sink = await startSmtpSink();
    const mailer = createSmtpMailer(sink.url, { ...sender, clock: systemClock });
    try {
      await mailer.send({ ...mail, ...change });
      await mailer.send({ ...mail, subject: 'last' });
      for (;;) {
        const { from, to, mail: read } = await sink.next();
        expect(from).toBe('no-reply@causeway.example');
        expect(to).toHaveLength(1);
        expect(to).not.toContain('eve@people.example');
        expect(read.headers).not.toHaveProperty('bcc');
        if (read.headers.subject?.[0] === 'last') break;
      }
    } finally {
      await mailer.close();
      await sink.close();
    }
  });
});

describe('mail over SMTP', () => {
  let sink: SmtpSink;
  let mailer: Mailer;
  const over = (url: string) => {
    mailer = createSmtpMailer(url, { ...sender, clock: systemClock });
    return mailer;
  };
  beforeEach(async () => {
    sink = await startSmtpSink({ refuse: ['nobody@people.example'], refuseLogins: ['eve'] });
  });
  afterEach(async () => {
    await mailer.close();
    await sink.close();
  });

  it('reaches the mail server, and leaves no file', async () => {
    await over(sink.url).send({ ...mail, subject: 'Grüße an „Möwe“' });
    const { from, to, mail: read } = await sink.next();
    expect([from, to]).toEqual(['no-reply@causeway.example', ['ada@people.example']]);
    expect(read.headers.to).toEqual(['ada@people.example']);
    expect(read.headers.subject?.[0]).toMatch(/^=\?UTF-8\?/);
    expect(read.body).toBe(mail.text);
  });

  it('is sent with the credentials of the URL', async () => {
    const url = sink.url.replace('//', '//causeway:s%40cret@');
    await over(url).send(mail);
    await sink.next();
    expect(sink.logins).toEqual(['causeway s@cret']);
  });

  it('is logged if it is refused, without credentials, and the next one arrives', async () => {
    const url = sink.url.replace('//', '//causeway:s%40cret@');
    await over(url).send({ ...mail, to: 'nobody@people.example' });
    await mailer.send(mail);
    expect((await sink.next()).to).toEqual(['ada@people.example']);
    await mailer.settle();
    expect(lines.join()).toContain('Could not send an email');
    expect(lines.join()).not.toMatch(/s@cret|s%40cret|c0BjcmV0/);
  });

  it('fails no request if the server does not answer', async () => {
    await over('smtp://127.0.0.1:1').send(mail);
    await mailer.settle();
    expect(lines.join()).toContain('Could not send an email');
  });

  it.each<[string, (url: string) => string, RegExp | null]>([
    ['that does not answer', () => 'smtp://causeway:s%40cret@127.0.0.1:1', /ECONNREFUSED/],
    ['that does not take the credentials', (url) => url.replace('//', '//eve:s%40cret@'), /Invalid login/],
    ['that answers', (url) => url.replace('//', '//causeway:s%40cret@'), null],
  ])('makes the start log a server %s before the first mail, without credentials', async (_case, urlOf, reason) => {
    const { log, lines } = readableLog('warn');
    await warnUnlessReachable(urlOf(sink.url), log);
    if (reason === null) expect(lines).toEqual([]);
    else {
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/The mail server of SMTP_URL is not available/);
      expect(lines[0]).toMatch(reason);
    }
    expect(lines.join()).not.toMatch(/s@cret|s%40cret|c0BjcmV0/);
    expect(sink.count()).toBe(0);
  });

  it('is finished before settling resolves', async () => {
    over(sink.url);
    for (let n = 0; n < 20; n += 1) await mailer.send(mail);
    await mailer.settle();
    expect(sink.count()).toBe(20);
  });
});
