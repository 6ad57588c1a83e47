import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AuditLogEvent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.js';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { makeWebhookToken, tokenColumns } from '../../src/domain/webhooks/tokens.js';
import { failStatements } from '../harness/faults.js';
import type { Loose } from '../harness/graphql.js';
import { readableLog, readLines } from '../harness/log.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type MadeWebhook,
  makeWebhook,
  type Person,
  sendMessage,
  signUp,
  uninstall,
} from '../harness/people.js';
import { ask, formOf, type RestAnswer, type RestRequest } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const MIB = 1024 * 1024;

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
/** The captain's bot has all permissions in the guild, and the guest's bot has none. */
let captain: MadeApplication;
let guest: MadeApplication;
let hook: MadeWebhook;
const log = readableLog('trace');

beforeAll(async () => {
  server = await startServer({ log: log.log });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  captain = await createApplication(ada, 'Captain');
  guest = await createApplication(ada, 'Guest');
  await install(ada, captain, guild, { permissions: String(ALL_PERMISSIONS) });
  await install(ada, guest, guild);
});
beforeEach(async () => {
  hook = await makeWebhook(server, ada, captain, guild.textChannelId);
});
afterEach(() => server.app.db.writer.webhook.deleteMany());
afterAll(() => server.stop());

const as = ({ botToken }: MadeApplication, method: string, path: string, json?: object) =>
  ask(server, method, path, { json, headers: { authorization: `Bot ${botToken}` } });

/** Sends a request to the address of a webhook. @param path path after the token */
const at = ({ url }: Pick<MadeWebhook, 'url'>, method: string, path = '', request: RestRequest = {}) =>
  ask(server, method, `${url}${path}`, request);

const post = (json: object, webhook = hook) => at(webhook, 'POST', '', { json });

async function posted(json: object, webhook = hook): Promise<Loose> {
  const { status, body } = await post(json, webhook);
  expect(status).toBe(200);
  return body;
}

async function newChannel(fields: object = {}): Promise<string> {
  const { body } = await as(captain, 'POST', `/guilds/${guild.id}/channels`, { name: 'another', ...fields });
  return body.id;
}

const refused = (status: number, code: number) => ({ status, body: { code } });

const withToken = ({ id }: MadeWebhook, token: string) => ({ url: `${server.origin}/api/webhooks/${id}/${token}` });

describe('docs/webhooks.md', () => {
  it('W-1: a text channel can have any number of webhooks, named with 1 to 80 characters', async () => {
    const path = `/channels/${guild.textChannelId}/webhooks`;
    for (const name of ['x', '🦆'.repeat(80)]) {
      expect(await as(captain, 'POST', path, { name })).toMatchObject({ status: 200, body: { name } });
    }
    expect(await as(captain, 'POST', path, { name: 'x'.repeat(81) })).toMatchObject(refused(400, 50035));
    const category = await newChannel({ type: 4 });
    expect(await as(captain, 'POST', `/channels/${category}/webhooks`, { name: 'x' })).toMatchObject({ status: 400 });
  });

  it('W-2: the bot is the author, and a nonce does not deduplicate', async () => {
    const overrides = { username: 'Somebody', avatar_url: 'https://a.example/face.png' };
    const json = { content: 'hello', ...overrides, nonce: '1', enforce_nonce: true };
    const [one, two] = [await posted(json), await posted(json)];
    const facts = { author: { id: captain.id, username: 'Captain', avatar: null }, application_id: captain.id };
    expect(one).toMatchObject({ ...facts, webhook_id: hook.id });
    expect(two.id).not.toBe(one.id);
  });

  it('W-3: creation needs Manage Server; the rest is reserved for its own bot', async () => {
    const path = `/channels/${guild.textChannelId}/webhooks`;
    expect(await as(guest, 'POST', path, { name: 'x' })).toMatchObject(refused(403, 50013));
    const own = await makeWebhook(server, ada, guest, guild.textChannelId);
    expect(await as(guest, 'GET', `/webhooks/${own.id}`)).toMatchObject({ status: 200, body: { id: own.id } });
    expect((await as(guest, 'GET', path)).body).toMatchObject([{ id: own.id }]);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { name: 'x' } : undefined;
      expect(await as(captain, method, `/webhooks/${own.id}`, json), method).toMatchObject(refused(404, 10015));
    }
    expect((await as(guest, 'PATCH', `/webhooks/${own.id}`, { name: 'x' })).status).toBe(200);
    expect((await as(guest, 'DELETE', `/webhooks/${own.id}`)).status).toBe(204);
  });

  it('W-4: posting needs no permission of the bot, ignores slow mode, and needs no other credential', async () => {
    const denied = [{ id: guild.id, type: 0, deny: String(ALL_PERMISSIONS), allow: '0' }];
    const channelId = await newChannel({ permission_overwrites: denied, rate_limit_per_user: 600 });
    const closed = await makeWebhook(server, ada, guest, channelId);
    await posted({ content: 'one' }, closed);
    for (const authorization of ['Bot no.token.at.all', `Bot ${captain.botToken}`, 'nonsense']) {
      const answer = await at(closed, 'POST', '', { json: { content: 'two' }, headers: { authorization } });
      expect(answer).toMatchObject({ status: 200, body: { author: { id: guest.id } } });
    }
  });

  it('W-5: the token is returned only to callers who present it', async () => {
    expect(await at(hook, 'GET')).toMatchObject({ status: 200, body: { id: hook.id, token: hook.token } });
    for (const path of [
      `/webhooks/${hook.id}`,
      `/channels/${guild.textChannelId}/webhooks`,
      `/guilds/${guild.id}/webhooks`,
    ]) {
      const { status, body } = await as(captain, 'GET', path);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain(hook.id);
      expect(JSON.stringify(body)).not.toContain('WH.');
    }
  });

  it('W-6: the response is the message, whatever the value of `wait`', async () => {
    for (const query of ['', '?wait=true', '?wait=false']) {
      const answer = await at(hook, 'POST', query, { json: { content: 'hello' } });
      expect(answer).toMatchObject({ status: 200, body: { content: 'hello', webhook_id: hook.id } });
    }
  });

  it('W-7: a post contains text of up to 4,000 characters, an embed, a file or a component', async () => {
    const button = { type: 2, style: 5, label: 'Build', url: 'https://ci.example.com' };
    await posted({ content: '🦆'.repeat(limits.messageContent) });
    await posted({ embeds: [{ title: 'Build 7' }] });
    await posted({ components: [{ type: 1, components: [button] }] });
    const form = formOf(undefined, { name: 'files[0]', content: 'all green', filename: 'log.txt' });
    expect(await at(hook, 'POST', '', { form })).toMatchObject({ body: { attachments: [{ filename: 'log.txt' }] } });
    expect(await post({ content: ' ' })).toMatchObject(refused(400, 50006));
  });

  it('W-8: a reply references a message of the same channel, or none if that is allowed', async () => {
    const there = await sendMessage(ada, await newChannel(), 'elsewhere');
    const reply = (fields: object) => post({ content: 'yes', message_reference: fields });
    expect(await reply({ message_id: there })).toMatchObject(refused(400, 50035));
    const alone = await reply({ message_id: there, fail_if_not_exists: false });
    expect(alone).toMatchObject({ status: 200, body: { type: 0 } });
    const here = await sendMessage(ada, guild.textChannelId, 'ready?');
    expect(await reply({ message_id: here })).toMatchObject({
      status: 200,
      body: { referenced_message: { id: here } },
    });
  });

  it('W-9: a post notifies those whom its bot may mention, and an edit parses the text again', async () => {
    expect(await posted({ content: '@everyone' })).toMatchObject({ mention_everyone: true });
    const own = await makeWebhook(server, ada, guest, guild.textChannelId);
    const denied = { type: 0, allow: '0', deny: String(Permission.MentionEveryone) };
    await as(captain, 'PUT', `/channels/${guild.textChannelId}/permissions/${guild.id}`, denied);
    expect(await posted({ content: '@everyone' }, own)).toMatchObject({ mention_everyone: false });
    const quiet = { allowed_mentions: { parse: [] } };
    const { id, mentions } = await posted({ content: `<@${ada.id}>`, ...quiet });
    expect(mentions).toEqual([]);
    const edited = await at(hook, 'PATCH', `/messages/${id}`, { json: { content: `<@${ada.id}>!` } });
    expect(edited.body.mentions).toMatchObject([{ id: ada.id }]);
  });

  it('W-10: a webhook reads, edits and deletes only its own messages', async () => {
    const other = await makeWebhook(server, ada, captain, guild.textChannelId);
    const ids = [
      (await posted({ content: 'by another' }, other)).id,
      (await as(captain, 'POST', `/channels/${guild.textChannelId}/messages`, { content: 'by the bot' })).body.id,
    ];
    for (const id of ids) {
      expect(await at(hook, 'GET', `/messages/${id}`)).toMatchObject(refused(404, 10008));
      const edit = await at(hook, 'PATCH', `/messages/${id}`, { json: { content: 'mine' } });
      expect(edit).toMatchObject(refused(404, 10008));
      expect(await at(hook, 'DELETE', `/messages/${id}`)).toMatchObject(refused(404, 10008));
    }
  });

  it('W-11: an edit changes only the given fields', async () => {
    const files = ['a', 'b'].map((name, n) => ({ name: `files[${n}]`, content: name, filename: `${name}.txt` }));
    const { body } = await at(hook, 'POST', '', {
      form: formOf({ content: 'two', embeds: [{ title: 'x' }] }, ...files),
    });
    const path = `/messages/${body.id}`;
    const keep = [{ id: body.attachments[0].id }];
    expect(await at(hook, 'PATCH', path, { json: { attachments: keep, embeds: null } })).toMatchObject({
      status: 200,
      body: { content: 'two', embeds: [], attachments: [{ filename: 'a.txt' }] },
    });
  });

  it('W-12: its token can only rename it; its bot can move it within the guild', async () => {
    const channelId = await newChannel();
    const renamed = await at(hook, 'PATCH', '', { json: { name: 'Deploys', channel_id: channelId } });
    expect(renamed.body).toMatchObject({ name: 'Deploys', channel_id: guild.textChannelId });
    const moved = await as(captain, 'PATCH', `/webhooks/${hook.id}`, { channel_id: channelId });
    expect(moved.body).toMatchObject({ name: 'Deploys', channel_id: channelId });
    expect(await posted({ content: 'there' })).toMatchObject({ channel_id: channelId });
    const elsewhere = await createGuild(ada, 'Elsewhere');
    await install(ada, captain, elsewhere, { permissions: String(ALL_PERMISSIONS) });
    const away = await as(captain, 'PATCH', `/webhooks/${hook.id}`, { channel_id: elsewhere.textChannelId });
    expect(away).toMatchObject(refused(400, 50035));
  });

  it('W-13: after deletion its address is unknown, and its messages stay', async () => {
    const { id } = await posted({ content: 'still here' });
    expect((await at(hook, 'DELETE')).status).toBe(204);
    expect(await post({ content: 'hello?' })).toMatchObject(refused(404, 10015));
    const kept = await as(captain, 'GET', `/channels/${guild.textChannelId}/messages/${id}`);
    expect(kept.body.content).toBe('still here');
  });

  it('W-14: it can be moved after its channel is deleted, and is removed with its application', async () => {
    const channelId = await newChannel();
    const own = await makeWebhook(server, ada, captain, channelId);
    await as(captain, 'DELETE', `/channels/${channelId}`);
    expect(await post({ content: 'hello?' }, own)).toMatchObject(refused(404, 10003));
    await as(captain, 'PATCH', `/webhooks/${own.id}`, { channel_id: guild.textChannelId });
    await posted({ content: 'back' }, own);
    const passing = await createApplication(ada, 'Passing');
    const installation = await install(ada, passing, guild);
    const gone = await makeWebhook(server, ada, passing, guild.textChannelId);
    await uninstall(ada, installation);
    expect(await post({ content: 'hello?' }, gone)).toMatchObject(refused(404, 10015));
  });

  it('W-15: a malformed or wrong token has one error, an unknown webhook another', async () => {
    const [, prefix] = hook.token.split('.');
    const wrong = [`WH.${prefix}.${'x'.repeat(56)}`, makeWebhookToken(), 'x', `${hook.token}x`, ''];
    for (const token of wrong) {
      expect(await at(withToken(hook, token), 'POST', '', { json: {} }), token).toMatchObject(refused(401, 50027));
    }
    const nobodys = { ...hook, id: '1' };
    expect(await at(withToken(nobodys, hook.token), 'POST', '', { json: {} })).toMatchObject(refused(404, 10015));
    expect(await at(withToken(nobodys, 'x'), 'POST', '', { json: {} })).toMatchObject(refused(401, 50027));
  });

  it('an unsupported field is refused, or ignored without effect', async () => {
    for (const json of [{ thread_name: 'a thread' }, { applied_tags: ['1'] }]) {
      expect(await post({ content: 'hello', ...json })).toMatchObject(refused(400, 50035));
    }
    expect(await at(hook, 'POST', '?thread_id=1', { json: { content: 'hello' } })).toMatchObject(refused(400, 50035));
    const avatar = 'data:image/png;base64,AAAA';
    expect((await at(hook, 'PATCH', '', { json: { avatar } })).body).toMatchObject({ avatar: null, name: 'Builds' });
  });

  it("W-18: the guild's audit log shows who created, renamed and deleted it", async () => {
    await at(hook, 'PATCH', '', { json: { name: 'Deploys' } });
    await as(captain, 'DELETE', `/webhooks/${hook.id}`);
    const { body } = await as(captain, 'GET', `/guilds/${guild.id}/audit-logs?limit=50`);
    const entries = body.audit_log_entries.filter((entry: Loose) => entry.target_id === hook.id);
    expect(entries.map(({ action_type, user_id }: Loose) => [action_type, user_id])).toEqual([
      [AuditLogEvent.WebhookDelete, captain.id],
      [AuditLogEvent.WebhookUpdate, captain.id],
      [AuditLogEvent.WebhookCreate, ada.id],
    ]);
  });

  it('W-19: no log contains a token, whatever the path', async () => {
    const secret = hook.token.slice(12);
    await posted({ content: 'good' });
    await at(hook, 'PUT');
    await at(hook, 'POST', '', { body: '{', headers: { 'content-type': 'application/json' } });
    await at(hook, 'POST', '/slack', { json: {} });
    await at({ url: `${hook.url}x` }, 'GET');
    for (const statement of [/FROM .*webhook/i, /INSERT INTO .*message/i]) {
      const faults = failStatements(statement);
      expect(await post({ content: 'lost' })).toMatchObject({ status: 500 });
      faults.heal();
    }
    expect(readLines(log.lines).filter(({ msg }) => msg === 'REST request failed')).toHaveLength(2);
    expect(log.lines.filter((line) => line.includes(secret))).toEqual([]);
  });
});

describe('rate limits of docs/webhooks.md', () => {
  let limited: TestServer;
  let own: MadeWebhook;
  beforeAll(async () => {
    limited = await startServer({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'loopback' } });
    const grace = await signUp(limited, 'grace');
    const application = await createApplication(grace);
    const { textChannelId } = await createGuild(grace);
    own = await makeWebhook(limited, grace, application, textChannelId);
  });
  afterAll(() => limited.stop());

  const from = (address: string, method: string, token: string): Promise<RestAnswer> =>
    ask(limited, method, `/webhooks/${own.id}/${token}`, {
      ...(method === 'POST' ? { json: { content: 'hello' } } : {}),
      headers: { 'x-forwarded-for': address },
    });

  it('W-17: each webhook accepts ten posts in 10 s', async () => {
    const answers = await Promise.all(Array.from({ length: 11 }, () => from('10.0.0.1', 'POST', own.token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const late = answers.find(({ status }) => status === 429);
    expect(late).toMatchObject({ body: { code: 0, retry_after: expect.any(Number) } });
    expect(late?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('10');
  });

  it('W-16: fifty wrong tokens block an address, and no other address', {
    tags: ['slow'],
  }, async () => {
    expect((await from('10.0.0.1', 'GET', own.token)).status).toBe(200);
    for (const address of ['10.0.0.2', '10.0.0.3']) {
      for (let round = 0; round < 5; round += 1) {
        const guesses = Array.from({ length: 10 }, () => from(address, 'GET', makeWebhookToken()));
        const statuses = (await Promise.all(guesses)).map(({ status }) => status);
        expect(new Set(statuses)).toEqual(new Set([401]));
      }
    }
    // A fast machine finishes within one second, which allows an address fifty requests of any kind.
    const isOfAllRequests = ({ body }: RestAnswer) => body.code === 0;
    const late = () => from('10.0.0.2', 'GET', makeWebhookToken());
    let answer = await late();
    while (isOfAllRequests(answer)) {
      await setTimeout(answer.body.retry_after * 1_000);
      answer = await late();
    }
    expect(answer).toMatchObject(refused(429, 40062));
    // A hundred wrong tokens block the webhook everywhere except where its token succeeded.
    expect(await from('10.0.0.4', 'GET', own.token)).toMatchObject(refused(429, 40062));
    expect((await from('10.0.0.1', 'GET', own.token)).status).toBe(200);
  });
});

describe('the table of errors in docs/webhooks.md', () => {
  const section = page.slice(page.indexOf('## Errors'));
  const rows = [...section.matchAll(/^\| (\d{3}) +\| (\d+) +\| (.*?) *\|/gm)].map(([, ...row]) => row);
  const big = (size: number) => ({ content: Buffer.alloc(size), filename: 'big.bin' });
  const files = (count: number, size = 1) =>
    Array.from({ length: count }, (_, n) => ({ name: `files[${n}]`, ...big(size) }));

  /** Triggers for each row of the table. The rows of 429 and 503 are covered above and by tests of database outages. */
  const provoked: Record<string, () => Promise<RestAnswer>> = {
    '400 50006': () => post({}),
    '400 50035': () => post({ content: 'x'.repeat(limits.messageContent + 1) }),
    '400 50109': () => at(hook, 'POST', '', { body: "{'", headers: { 'content-type': 'application/json' } }),
    '400 30007': async () => {
      await fill(captain);
      return as(captain, 'POST', `/channels/${guild.textChannelId}/webhooks`, { name: 'one too many' });
    },
    '400 30015': () => at(hook, 'POST', '', { form: formOf({}, ...files(11)) }),
    '401 50027': () => at(withToken(hook, makeWebhookToken()), 'GET'),
    '400 50008': async () => {
      const made = await as(captain, 'POST', `/guilds/${guild.id}/channels`, { name: 'shelf', type: 4 });
      return as(captain, 'POST', `/channels/${made.body.id}/webhooks`, { name: 'in a category' });
    },
    '403 50001': async () =>
      as(await createApplication(ada, 'Outside'), 'GET', `/channels/${guild.textChannelId}/webhooks`),
    '403 50013': () => as(guest, 'POST', `/channels/${guild.textChannelId}/webhooks`, { name: 'x' }),
    '404 10015': () => at(withToken({ ...hook, id: '1' }, hook.token), 'GET'),
    '404 10003': async () => {
      const channelId = await newChannel();
      const own = await makeWebhook(server, ada, captain, channelId);
      await as(captain, 'DELETE', `/channels/${channelId}`);
      return at(own, 'GET');
    },
    '404 10008': () => at(hook, 'GET', '/messages/1'),
    '404 0': () => at(hook, 'POST', '/teams', { json: { text: 'hello' } }),
    '405 0': () => at(hook, 'PUT'),
    '413 50045': () => at(hook, 'POST', '', { form: formOf({}, ...files(1, 10 * MIB + 1)) }),
    '413 40005': () => at(hook, 'POST', '', { form: formOf({}, ...files(3, 9 * MIB)) }),
  };

  async function fill({ id }: MadeApplication): Promise<void> {
    const { app } = server;
    const place = { applicationId: BigInt(id), guildId: BigInt(guild.id), channelId: BigInt(guild.textChannelId) };
    const row = {
      ...place,
      name: 'one of many',
      tokenHash: '',
      creatorId: BigInt(ada.id),
      ...tokenColumns(hook.token),
    };
    const data = Array.from({ length: limits.webhooksPerApplication }, () => ({ ...row, id: app.nextId() }));
    await app.db.writer.webhook.createMany({ data });
  }

  it('is complete', () => {
    const listed = rows.map(([status, code]) => `${status} ${code}`);
    expect(listed.filter((row) => !/^(429|503)/.test(row))).toEqual(Object.keys(provoked));
  });

  it.each(Object.entries(provoked))('is correct for %s', async (row, provoke) => {
    const { status, body } = await provoke();
    expect(`${status} ${body.code}`).toBe(row);
  });
});
