import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { askGraphql } from '../harness/graphql.js';
import { readableLog } from '../harness/log.js';
import { createGuild, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
const { log, lines: errors } = readableLog();
beforeAll(async () => {
  server = await startServer({ log });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
});
beforeEach(() => {
  errors.length = 0;
});
afterAll(() => server.stop());

async function expectUnharmed(): Promise<void> {
  expect(errors).toEqual([]);
  expect((await askGraphql(server, '{ me { id } }')).status).toBe(200);
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('', '\u0000', '\ud800', '0', '-1', '1'.repeat(40)),
);

describe('random input', () => {
  it('in any text or id of a mutation causes no internal error', async () => {
    const mutations: [string, string, Record<string, unknown>][] = [
      ['createApplication', 'CreateApplicationInput', { name: 'name', description: '' }],
      ['createGuild', 'CreateGuildInput', { name: 'name', description: '' }],
      ['createChannel', 'CreateChannelInput', { guildId: guild.id, name: 'name' }],
      ['createRole', 'CreateRoleInput', { guildId: guild.id, name: 'name', permissions: '0' }],
      ['setMemberRoles', 'SetMemberRolesInput', { guildId: guild.id, userId: ada.id, roleIds: ['1'] }],
      ['createInvite', 'ChannelIdInput', { channelId: guild.textChannelId }],
      ['joinGuild', 'JoinGuildInput', { code: 'code' }],
      ['leaveGuild', 'GuildIdInput', { guildId: '1' }],
      [
        'installApplication',
        'InstallApplicationInput',
        { applicationId: '1', guildId: guild.id, scopes: ['bot'], permissions: '0' },
      ],
      ['sendMessage', 'SendMessageInput', { channelId: guild.textChannelId, content: 'content', replyTo: null }],
      ['editMessage', 'EditMessageInput', { channelId: guild.textChannelId, messageId: '1', content: 'content' }],
      ['addReaction', 'ReactionInput', { channelId: guild.textChannelId, messageId: '1', emoji: '👍' }],
      ['startTyping', 'ChannelIdInput', { channelId: guild.textChannelId }],
    ];
    const cases = fc.constantFrom(...mutations).chain(([name, type, input]) =>
      fc.record({
        name: fc.constant(name),
        type: fc.constant(type),
        field: fc.constantFrom(...Object.keys(input)),
        value: fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.jsonValue()),
        input: fc.constant(input),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ name, type, field, value, input }) => {
        const query = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
        const answer = await ada.ask(query, { input: { ...input, [field]: value } });
        expect(answer.status).toBeLessThan(500);
        for (const error of answer.errors) expect(error.extensions.code).toBeDefined();
      }),
      { numRuns: 300 },
    );
    await expectUnharmed();
  });

  it('in any argument of a query causes no internal error', async () => {
    const query = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) { channel(id: $id) {
      messages(first: $first, after: $after, last: $last, before: $before) { edges { cursor } } } }`;
    const page = fc.record(
      {
        first: fc.integer(),
        after: text,
        last: fc.integer(),
        before: text,
        id: fc.oneof(text, fc.constant(guild.textChannelId)),
      },
      { requiredKeys: ['id'] },
    );
    await fc.assert(
      fc.asyncProperty(page, async (variables) => {
        const answer = await ada.ask(query, variables);
        for (const error of answer.errors) expect(error.extensions.code).toBeDefined();
      }),
      { numRuns: 150 },
    );
    await expectUnharmed();
  });

  it('as a body of /graphql or /auth causes no internal error', async () => {
    const types = [
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'application/graphql',
      'text/plain',
      'a',
    ];
    const paths = ['/graphql', '/auth/sign-up/email', '/auth/sign-in/email', '/auth/sign-out'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.constantFrom(...types),
        fc.oneof(
          text,
          fc.json(),
          fc.json().map((query) => JSON.stringify({ query, variables: query })),
        ),
        async (path, type, body) => {
          const headers = { 'content-type': type, authorization: `Bearer ${ada.token}x` };
          const response = await fetch(`${server.origin}${path}`, { method: 'POST', headers, body });
          expect(response.status).toBeLessThan(500);
          await response.text();
        },
      ),
      { numRuns: 300 },
    );
    await expectUnharmed();
  });

  it.each([
    '/graphql?query=%',
    '/graphql?query=%E0%A4%A',
    '/graphql?variables=%7B',
    '/graphql?query=&query=',
    '/auth/%',
    '/auth//sign-out',
  ])('as the URL %s causes no internal error', async (path) => {
    const response = await fetch(`${server.origin}${path}`, { headers: { authorization: `Bearer ${ada.token}` } });
    expect(response.status).toBeLessThan(500);
    await expectUnharmed();
  });
});

describe('a socket', () => {
  const open = async (protocol = 'graphql-transport-ws') => {
    const socket = new WebSocket(`${server.origin.replace(/^http/, 'ws')}/graphql`, protocol === '' ? [] : [protocol]);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await once(socket, 'open');
    return { socket, closed };
  };

  it.each([
    ['text that is no message', 'hello', 4400],
    ['a message of no known kind', '{"type":"nonsense"}', 4400],
    ['a message of null', 'null', 4400],
    [
      'an operation before the connection is initialised',
      '{"type":"subscribe","id":"1","payload":{"query":"{me{id}}"}}',
      4401,
    ],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0x00]), 1007],
    ['a message of half a mebibyte', 'x'.repeat(512 * 1024), 1009],
  ])('that sends %s is closed with the matching code', async (_case, message, code) => {
    const { socket, closed } = await open();
    socket.send(message);
    expect(await closed).toBe(code);
    await expectUnharmed();
  });

  it('accepts more values in one message once a user has signed in', async () => {
    const query = `{"type":"ping","payload":{"x":[${'1,'.repeat(20_000)}1]}}`;
    const stranger = await open();
    stranger.socket.send(query);
    expect(await stranger.closed).toBe(4400);
    const { socket } = await open();
    const heard = async () => JSON.parse(String((await once(socket, 'message'))[0])).type;
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: ada.token } }));
    expect(await heard()).toBe('connection_ack');
    socket.send(query);
    expect(await heard()).toBe('pong');
    socket.close();
  });

  it('of another subprotocol is closed', async () => {
    const { closed } = await open('');
    expect(await closed).toBe(4406);
    await expectUnharmed();
  });

  it('runs at most 100 operations at once', async () => {
    const { socket } = await open();
    const refused = new Promise<{ payload: { extensions: { code: string } }[] }>((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.type === 'error') resolve(message);
      });
    });
    const say = (message: object) => socket.send(JSON.stringify(message));
    say({ type: 'connection_init', payload: { authorization: ada.token } });
    await once(socket, 'message');
    const query = `subscription { channelEvents(channelId: "${guild.textChannelId}") { type } }`;
    for (let n = 0; n <= 100; n += 1) say({ type: 'subscribe', id: String(n), payload: { query } });
    expect((await refused).payload[0]?.extensions.code).toBe('LIMIT_EXCEEDED');
    socket.terminate();
    await expectUnharmed();
  });
});
