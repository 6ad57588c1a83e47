import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

const run = promisify(execFile);

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let page: string;
let folder: string;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  application = await createApplication(ada, 'Build bot');
  const manageServer = '32';
  await install(ada, application, guild, { permissions: manageServer });
  page = await readFile(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'causeway-webhooks-doc-'));
  await writeFile(join(folder, 'build.log'), 'all green\n');
  await writeFile(join(folder, 'coverage.txt'), '97 %\n');
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs lines and returns their output. @throws an error whose `code` is the exit code of the shell */
async function paste(lines: string, env: Record<string, string>): Promise<string> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
  return (await run('bash', ['-euo', 'pipefail', '-c', lines], options)).stdout;
}

const BETWEEN = '\u001e';

/** Returns the output of each block, or null. A block that stores it in a variable is printed too. */
async function answers(): Promise<Loose[]> {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => {
    const [, kept] = /^(\w+)=\$\(curl/m.exec(lines) ?? [];
    return kept ? `${lines}printf %s "$${kept}"\n` : lines;
  });
  const env = { ORIGIN: server.origin, BOT_TOKEN: application.botToken, CHANNEL_ID: guild.textChannelId };
  const printed = await paste(blocks.join(`printf '${BETWEEN}'\n`), env);
  return printed.split(BETWEEN).map((text) => (text === '' ? null : text === 'ok' ? text : JSON.parse(text)));
}

describe('the commands of docs/webhooks.md', () => {
  it('do what the page describes', async () => {
    const [
      made,
      sent,
      embed,
      files,
      field,
      reply,
      edited,
      read,
      deleted,
      slack,
      webhook,
      renamed,
      listed,
      known,
      gone,
      ...more
    ] = await answers();
    const author = { id: application.id, username: 'Build bot' };
    expect(made).toMatchObject({
      name: 'Builds',
      channel_id: guild.textChannelId,
      url: expect.stringContaining(made.token),
    });
    expect(made.url).toBe(`${server.origin}/api/webhooks/${made.id}/${made.token}`);
    expect(sent).toMatchObject({ content: 'Build 7 has begun.', webhook_id: made.id, author });
    expect(embed).toMatchObject({ embeds: [{ title: 'Build 7', color: 3066993, fields: [{}, { value: '3 min' }] }] });
    expect(files.attachments).toMatchObject([
      {
        filename: 'build.log',
        content_type: expect.stringMatching(/^text\/plain/),
        description: 'What the tests said',
      },
      { filename: 'coverage.txt' },
    ]);
    expect(await (await fetch(files.attachments[0].url)).text()).toBe('all green\n');
    expect(field).toMatchObject({ content: 'Build 7 is done.' });
    expect(slack).toBe('ok');
    expect(reply).toMatchObject({ type: 19, referenced_message: { id: sent.id } });
    expect(edited).toMatchObject({ id: sent.id, content: 'Build 7 is green.' });
    expect(read).toEqual(edited);
    expect(deleted).toBeNull();
    expect(webhook).toMatchObject({ id: made.id, name: 'Builds' });
    expect(renamed).toMatchObject({ id: made.id, name: 'Deploys' });
    expect(listed).toMatchObject([{ id: made.id, name: 'Deploys', user: author }]);
    expect(known).toEqual(listed[0]);
    expect([gone, ...more]).toEqual([null]);

    const { db } = server.app;
    const left = await db.reader.message.findMany({ where: { webhookId: BigInt(made.id) }, orderBy: { id: 'asc' } });
    expect(left.slice(0, -1).map(({ id }) => String(id))).toEqual([embed.id, files.id, field.id, reply.id]);
    expect(left.at(-1)).toMatchObject({ content: 'Backup done' });
    expect(await db.reader.webhook.findUnique({ where: { id: BigInt(made.id) } })).toMatchObject({
      deletedAt: expect.any(Date),
    });
  });

  it('create a webhook with GraphQL that can post', async () => {
    const [, text = ''] = /^```graphql\n(.*?)^```/ms.exec(page) ?? [];
    const ids: Record<string, string> = { applicationId: application.id, channelId: guild.textChannelId };
    const withIds = text.replace(/(\w+): "\d+"/g, (_given, field) => `${field}: "${ids[field]}"`);
    const { createWebhook } = await ada.graphql(withIds);
    const [, line = ''] = /^```console\n\$ (.*)$/m.exec(page) ?? [];
    const printed = await paste(line, { WEBHOOK_URL: createWebhook.url });
    expect(JSON.parse(printed)).toMatchObject({ content: 'Build 7 is green.', webhook_id: createWebhook.webhook.id });
  });

  it('exit with 22 and print the reason after a refusal', async () => {
    const [, line = ''] = /^```console\n\$ (.*)$/m.exec(page) ?? [];
    const url = `${server.origin}/api/webhooks/1/no-token`;
    const failure = await paste(line, { WEBHOOK_URL: url }).catch((error) => error);
    expect(failure).toMatchObject({ code: 22, stdout: '{"message":"Invalid Webhook Token","code":50027}' });
  });
});
