import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ThrowAwayDatabase } from '../harness/databases.js';
import { operationForm, sendForm } from '../harness/forms.js';
import { askGraphql } from '../harness/graphql.js';
import { type SmtpSink, startSmtpSink } from '../harness/mails.js';
import { createGuild, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { freePort } from '../harness/ports.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../harness/server.js';

const OLD = 'old-'.repeat(8);
const NEW = 'new-'.repeat(8);

let dataDir: string;
let database: ThrowAwayDatabase | null;
let smtp: SmtpSink;
let port: string;
let server: TestServer | null = null;

beforeAll(async () => {
  smtp = await startSmtpSink();
});
afterAll(() => smtp.close());
beforeEach(async () => {
  dataDir = await migratedFolder();
  database = await migratedDatabase();
  port = String(await freePort());
});
afterEach(async () => {
  await server?.stop();
  server = null;
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function restart(keys: string): Promise<TestServer> {
  await server?.stop();
  const url: Record<string, string> = database ? { DATABASE_URL: database.url } : {};
  const env = { DATA_DIR: dataDir, PORT: port, SECRET_KEYS: keys, SMTP_URL: smtp.url, ...url };
  server = await startServer({ env });
  return server;
}

const me = async (at: TestServer, headers: Record<string, string>) =>
  (await askGraphql(at, '{ me { username } }', {}, headers)).data?.me?.username ?? null;

async function postFile(at: TestServer, person: Person, guild: MadeGuild): Promise<string> {
  const query = `mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) { message { attachments } }
  }`;
  const input = { channelId: guild.textChannelId, content: 'x', files: [null] };
  const files = [{ places: ['variables.input.files.0'], content: 'a chart' }];
  const { data, errors } = await sendForm(at, person, operationForm({ query, variables: { input } }, files));
  expect(errors).toEqual([]);
  return data?.sendMessage.message.attachments[0].url;
}

async function followLink(at: TestServer): Promise<number> {
  const { mail } = await smtp.next();
  const token = /verify-email\?token=(\S+)/.exec(mail.body)?.[1];
  return (await fetch(`${at.origin}/auth/verify-email?token=${token}`, { redirect: 'manual' })).status;
}

describe('a signature', () => {
  test('is accepted while its key is, and not afterwards', async () => {
    const before = await restart(OLD);
    const ada = await signUp(before, 'ada');
    const url = await postFile(before, ada, await createGuild(ada));
    const byCookie = { cookie: ada.cookie };

    const during = await restart(`${NEW},${OLD}`);
    expect(await me(during, byCookie)).toBe('ada');
    expect(await (await fetch(url)).text()).toBe('a chart');
    expect(await followLink(during)).toBe(303);
    const session = await fetch(`${during.origin}/auth/get-session`, { headers: byCookie });
    expect((await session.json()).user.emailVerified).toBe(true);

    const after = await restart(NEW);
    expect(await me(after, byCookie)).toBeNull();
    expect((await fetch(url)).status).toBe(404);
    expect(await me(after, { authorization: `Bearer ${ada.token}` })).toBe('ada');
  });

  test('is accepted by processes that sign with the older key and already accept the newest', async () => {
    const ahead = await restart(`${NEW},${OLD}`);
    const ada = await signUp(ahead, 'ada');
    const url = await postFile(ahead, ada, await createGuild(ada));
    const behind = await restart(`${OLD},${NEW}`);
    expect(await me(behind, { cookie: ada.cookie })).toBe('ada');
    expect((await fetch(url)).status).toBe(200);
    expect(await followLink(behind)).toBe(303);
  });

  test('is renewed with the newest key when a session begins', async () => {
    const ada = await signUp(await restart(`${NEW},${OLD}`), 'ada');
    await smtp.next();
    expect(await me(await restart(NEW), { cookie: ada.cookie })).toBe('ada');
  });
});

describe('a cookie without a valid signature', () => {
  test('is anonymous, whatever its content', async () => {
    const at = await restart(`${NEW},${OLD}`);
    const ada = await signUp(at, 'ada');
    const [name = '', value = ''] = ada.cookie.split(/=(.*)/s);
    const [token = ''] = decodeURIComponent(value).split('.');
    for (const wrong of [token, `${token}.`, `${token}.x`, `.${token}`, '.', '', '%', `${value}x`, `x${value}`]) {
      expect(await me(at, { cookie: `${name}=${wrong}` })).toBeNull();
    }
    expect(await me(at, { cookie: `a=%; ${ada.cookie}; b=c.d` })).toBe('ada');
  });
});
