import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient } from '../../harness/gateway-client.js';
import { codeOf, type Loose } from '../../harness/graphql.js';
import { makeOperator, OPERATOR_MUTATIONS } from '../../harness/operators.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import { ask, formOf } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';

const GIB = 1024;

let server: TestServer;
let olga: Person;
let ada: Person;
let bot: MadeApplication;
let guild: MadeGuild;
beforeAll(async () => {
  const env = { RATE_LIMITS: 'on', TRUST_PROXY: '1', FILES_PER_ACCOUNT_MB: String(GIB) };
  server = await startServer({ env });
  const signUpAt = (name: string) => signUp(server, name, { 'x-forwarded-for': '192.0.2.200' });
  olga = await signUpAt('olga');
  await makeOperator(server, olga);
  ada = await signUpAt('ada');
  bot = await createApplication(ada);
  guild = await createGuild(ada);
  await install(ada, bot, guild);
});
afterAll(() => server.stop());

interface Change {
  kind: string;
  value: number | null;
  subject?: string;
}

const change = (input: Change, by = olga) =>
  by.ask(OPERATOR_MUTATIONS.setLimit, { input: { reason: 'too loud', ...input } });

async function set(kind: string, value: number | null, subject?: string): Promise<Loose> {
  const { data, errors } = await change({ kind, value, ...(subject === undefined ? {} : { subject }) });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return data.operatorSetLimit.limit;
}

async function limited(): Promise<string[]> {
  const { instance } = await olga.graphql('{ instance { limited { kind subject subjectName refusals } } }');
  return instance.limited.map((one: Loose) => `${one.kind} ${one.subjectName ?? one.subject} ${one.refusals}`);
}

const asBot = (of: MadeApplication, method: string, path: string, more = {}) =>
  ask(server, method, path, { ...more, headers: { authorization: `Bot ${of.botToken}` } });

/** In a new channel, because the limit counts per channel. */
async function sendTimes(of: MadeApplication, count: number) {
  const { createChannel } = await ada.graphql(
    'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
    { input: { guildId: guild.id, name: 'loud', type: 0 } },
  );
  const answers = [];
  for (let n = 0; n < count; n += 1) {
    answers.push(await asBot(of, 'POST', `/channels/${createChannel.channel.id}/messages`, { json: { content: 'x' } }));
  }
  return {
    statuses: answers.map(({ status }) => status),
    limit: answers[0]?.headers.get('x-ratelimit-limit'),
    remaining: answers[0]?.headers.get('x-ratelimit-remaining'),
  };
}

const signUpFrom = (address: string) =>
  fetch(`${server.origin}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: '{}',
  }).then(({ status }) => status);

describe('a changed limit', () => {
  it('of messages applies to everyone, and another value to one bot, with the headers of routes', async () => {
    await set('MESSAGES', 1);
    expect(await sendTimes(bot, 2)).toEqual({ statuses: [200, 429], limit: '1', remaining: '0' });
    expect((await limited())[0]).toBe(`MESSAGES ${bot.name} 1`);
    await set('MESSAGES', 7, bot.id);
    expect(await sendTimes(bot, 7)).toEqual({ statuses: Array(7).fill(200), limit: '7', remaining: '6' });
    await set('MESSAGES', 0, bot.id);
    expect(await sendTimes(bot, 1)).toEqual({ statuses: [429], limit: '0', remaining: '0' });
    await set('MESSAGES', null, bot.id);
    expect((await sendTimes(bot, 1)).limit).toBe('1');
    await set('MESSAGES', null);
    expect((await sendTimes(bot, 1)).limit).toBe('5');
  });

  it('of messages applies to a person by username', async () => {
    const send = () =>
      ada.ask('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }', {
        input: { channelId: guild.textChannelId, content: 'x' },
      });
    const { perSubject } = await set('MESSAGES', 1, 'Ada');
    expect(perSubject).toEqual([{ subject: ada.id, name: 'ada', value: 1 }]);
    expect([codeOf(await send()), codeOf(await send())]).toEqual([undefined, 'RATE_LIMITED']);
    expect((await limited())[0]).toBe('MESSAGES ada 1');
    await set('MESSAGES', null, ada.id);
    expect(codeOf(await send())).toBeUndefined();
  });

  it('of sign-ups applies to addresses, and another value to one IPv6 network', async () => {
    await set('SIGN_UPS', 1);
    expect([await signUpFrom('192.0.2.1'), await signUpFrom('192.0.2.1')]).toEqual([400, 429]);
    expect(await limited()).toContain('SIGN_UPS 192.0.2.1 1');
    const { perSubject } = await set('SIGN_UPS', 2, '2001:db8::7');
    const network = '2001:0db8:0000:0000:0000:0000:0000:0000';
    expect(perSubject).toEqual([{ subject: network, name: null, value: 2 }]);
    const statuses = [];
    for (const n of [1, 2, 3]) statuses.push(await signUpFrom(`2001:db8::${n}`));
    expect(statuses).toEqual([400, 400, 429]);
    expect(await limited()).toContain(`SIGN_UPS ${network} 1`);
    await set('SIGN_UPS', null);
    await set('SIGN_UPS', null, '2001:db8::1');
  });

  it('of files applies to the owner of a bot', async () => {
    const upload = async () => {
      const file = { name: 'files[0]', content: Buffer.alloc(600 * 1024), filename: 'a.bin' };
      const path = `/channels/${guild.textChannelId}/messages`;
      const { status, body } = await asBot(bot, 'POST', path, { form: formOf({ content: 'x' }, file) });
      return status === 200 ? 200 : body.message;
    };
    await set('FILES', 1);
    expect(await upload()).toBe(200);
    expect(await upload()).toContain('the storage limit of 1 MiB');
    expect((await limited())[0]).toBe('FILES ada 1');
    await set('FILES', 2, ada.id);
    expect([await upload(), await upload()]).toEqual([200, 200]);
    expect(await upload()).toContain('the storage limit of 2 MiB');
    await set('FILES', null, ada.id);
    const { value, isSet } = await set('FILES', null);
    expect([value, isSet]).toEqual([GIB, false]);
  });

  it('of servers applies when a person creates one', async () => {
    const create = async () =>
      (await ada.ask('mutation { createGuild(input: { name: "More" }) { guild { id } } }')).errors[0]?.message;
    await set('GUILDS', 1);
    expect(await create()).toContain('at most 1 servers');
    expect((await limited())[0]).toBe('GUILDS ada 1');
    await set('GUILDS', 2, ada.id);
    expect(await create()).toBeUndefined();
    expect(await create()).toContain('at most 2 servers');
    await set('GUILDS', null, ada.id);
    await set('GUILDS', null);
  });

  it('of gateway sessions applies to a bot, which reads it from the gateway route', async () => {
    const loud = await createApplication(ada, 'Loud');
    const total = async () => (await asBot(loud, 'GET', '/gateway/bot')).body.session_start_limit;
    expect(await total()).toMatchObject({ total: 1_000, remaining: 1_000 });
    await set('IDENTIFIES', 3);
    expect(await total()).toMatchObject({ total: 3, remaining: 3 });
    await set('IDENTIFIES', 1, loud.id);
    const client = await GatewayClient.open(server.origin);
    await client.ready(loud.botToken);
    expect(await total()).toMatchObject({ total: 1, remaining: 0 });
    const second = await GatewayClient.open(server.origin);
    // Another shard, because a bucket of shards has its own limit.
    second.identify(loud.botToken, { shard: [1, 2] });
    await second.next(({ op }) => op === 9);
    expect((await limited())[0]).toBe('IDENTIFIES Loud 1');
    await set('IDENTIFIES', null, loud.id);
    await set('IDENTIFIES', null);
    expect(await total()).toMatchObject({ total: 1_000 });
  });

  it('of requests applies to a bot', async () => {
    const busy = await createApplication(ada, 'Busy');
    await set('REQUESTS', 5, busy.id);
    const answers = await Promise.all(Array.from({ length: 12 }, () => asBot(busy, 'GET', '/users/@me')));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect((await limited())[0]).toMatch(/^REQUESTS Busy \d+$/);
    await set('REQUESTS', null, busy.id);
  });
});

describe('a value', () => {
  it('must be in its range, and belong to a subject that exists and that the limit has', async () => {
    const fieldsOf = async (input: Change) => {
      const { errors } = await change(input);
      return [errors[0]?.extensions.code, ...Object.keys(errors[0]?.extensions.fields ?? {})];
    };
    for (const [kind, value] of [
      ['REQUESTS', 4],
      ['MESSAGES', -1],
      ['MESSAGES', 1_001],
      ['FILES', 1_000_000_001],
    ] as const) {
      expect([kind, value, await fieldsOf({ kind, value })]).toEqual([kind, value, ['BAD_USER_INPUT', 'value']]);
    }
    for (const [kind, subject] of [
      ['MESSAGES', 'missing'],
      ['MESSAGES', '1'],
      ['MESSAGES', '192.0.2.1'],
      ['GUILDS', bot.id],
      ['IDENTIFIES', ada.id],
      ['SIGN_UPS', 'ada'],
    ] as const) {
      const found = await fieldsOf({ kind, subject, value: 5 });
      expect([kind, subject, found]).toEqual([kind, subject, ['BAD_USER_INPUT', 'subject']]);
    }
    expect(await server.app.db.reader.instanceLimit.count()).toBe(0);
  });

  it('is written with one entry for each change, also if two operators change it at once', async () => {
    const other = await signUp(server, 'oscar', { 'x-forwarded-for': '192.0.2.201' });
    await makeOperator(server, other);
    const values = [10, 11, 12, 13, 14, 15];
    await Promise.all(values.map((value, n) => change({ kind: 'MESSAGES', value }, n % 2 === 0 ? olga : other)));
    await set('MESSAGES', null);
    const { instance } = await olga.graphql(
      '{ instance { auditLog(last: 7, actions: ["LIMIT_UPDATE"]) { edges { node { changes reason targetName } } } } }',
    );
    const nodes: Loose[] = instance.auditLog.edges.map(({ node }: Loose) => node);
    expect(nodes[0]).toMatchObject({ reason: 'too loud', targetName: null, changes: { kind: 'MESSAGES' } });
    const pairs = new Map(nodes.map(({ changes }) => [changes.value.old, changes.value.new]));
    // Each change starts where another ended.
    const chain: (number | null)[] = [];
    for (let at = pairs.get(null); at != null; at = pairs.get(at)) chain.push(at);
    expect(chain.sort()).toEqual(values);
    await makeOperator(server, other, 'MODERATOR');
    expect(codeOf(await change({ kind: 'MESSAGES', value: 1 }, other))).toBe('NOT_FOUND');
  });

  it('that changes nothing has no entry', async () => {
    const count = () => server.app.db.reader.instanceAuditEntry.count();
    const before = await count();
    await set('MESSAGES', null, bot.id);
    await set('MESSAGES', null);
    expect(await count()).toBe(before);
  });
});
