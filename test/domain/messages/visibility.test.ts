import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { accessChannel } from '../../../src/domain/guilds/index.js';
import { applyEdit, loadMessage, type MessageRecord, removeMessage } from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import { answer, whisper } from '../../harness/answers.js';
import { test } from '../../harness/fixtures.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { askGraphql, codeOf, type Loose } from '../../harness/graphql.js';
import { PLAIN_MESSAGE } from '../../harness/guild-home.js';
import { outcome } from '../../harness/outcome.js';
import { createGuild, invite, type MadeGuild, type Person, sendMessage, signUp } from '../../harness/people.js';
import { RestBot } from '../../harness/rest.js';
import { permitEveryone } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { type ChannelEvents, subscribe } from '../../harness/subscriptions.js';
import { addMember, callOf, createBot, type TestBot } from '../../harness/world.js';
import { toEdit } from './scene.js';

let server: TestServer;
let guild: MadeGuild;
let channelId: bigint;
let ada: Person;
/** The user who can see the ephemeral message. */
let bob: Person;
let cleo: Person;
let bot: TestBot;
let other: TestBot;
/** A public message, and the ephemeral message after it. */
let shown: string;
let hidden: MessageRecord;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob, cleo] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob'), signUp(server, 'cleo')]);
  guild = await createGuild(ada);
  channelId = BigInt(guild.textChannelId);
  await invite(ada, guild, bob);
  await invite(ada, guild, cleo);
  [bot, other] = await Promise.all([createBot(server.app), createBot(server.app)]);
  await addMember(server.app, BigInt(guild.id), bot.user);
  await addMember(server.app, BigInt(guild.id), other.user);
  // No permission reveals the ephemeral message.
  await permitEveryone(server.app, BigInt(guild.id), ALL_PERMISSIONS);
});

const whisperTo = (person: Person, more: Parameters<typeof whisper>[4] = {}) =>
  whisper(server.app, bot, channelId, BigInt(person.id), more);

describe('an ephemeral message', () => {
  beforeEach(async () => {
    shown = await sendMessage(ada, guild.textChannelId, 'for everybody');
    hidden = await whisperTo(bob);
  });

  const messages = () => `/channels/${channelId}/messages`;
  const message = () => `${messages()}/${hidden.id}`;
  const botDoors: [string, (caller: RestBot) => ReturnType<RestBot['get']>][] = [
    ['reads', (caller) => caller.get(message())],
    ['edits', (caller) => caller.patch(message(), { content: 'x' })],
    ['suppresses the embeds of', (caller) => caller.patch(message(), { flags: 4 })],
    ['deletes', (caller) => caller.delete(message())],
    ['reacts to', (caller) => caller.put(`${message()}/reactions/👍/@me`)],
    ['takes a reaction off', (caller) => caller.delete(`${message()}/reactions/👍/@me`)],
    ['lists the reactions to', (caller) => caller.get(`${message()}/reactions/👍`)],
    ['clears the reactions to', (caller) => caller.delete(`${message()}/reactions`)],
  ];
  const callers = () => [new RestBot(server, bot), new RestBot(server, other)];

  test.each(botDoors)('is unknown to every bot that %s it, including its own', async (_, door) => {
    for (const caller of callers()) {
      const { status, body } = await door(caller);
      expect({ status, code: body?.code }).toEqual({ status: 404, code: 10008 });
    }
  });

  test('cannot be replied to by a bot', async () => {
    for (const caller of callers()) {
      const sent = { content: 'x', message_reference: { message_id: String(hidden.id) } };
      const { body } = await caller.post(messages(), sent);
      expect(body.errors?.message_reference?._errors).toMatchObject([{ code: 'REPLIES_UNKNOWN_MESSAGE' }]);
    }
  });

  test.each(['', '?limit=1', '?after=0', '?before=9223372036854775807', `?around=`])(
    'is missing from the lists of bots: %s',
    async (query) => {
      for (const caller of callers()) {
        const { body } = await caller.get(`${messages()}${query.endsWith('=') ? `${query}${hidden.id}` : query}`);
        const ids = body.map(({ id }: Loose) => id);
        expect(ids).toContain(shown);
        expect(ids).not.toContain(String(hidden.id));
      }
    },
  );

  test('is not the newest message of its channel', async () => {
    const { body } = await new RestBot(server, other).get(`/channels/${channelId}`);
    expect(body.last_message_id).toBe(shown);
    const client = await GatewayClient.open(server.origin);
    client.identify(other.token);
    const { d } = await client.event('GUILD_CREATE');
    expect(d.channels.find(({ id }: Loose) => id === String(channelId)).last_message_id).toBe(shown);
    await client.close();
  });

  const input = () => ({ channelId: guild.textChannelId, messageId: String(hidden.id) });
  const mutation = (field: string, type: string, facts: () => object) => async (person: Person) => {
    const selection = field === 'deleteMessage' ? '{ id }' : '{ message { id } }';
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) ${selection} }`;
    return codeOf(await askGraphql(server, query, { input: facts() }, { authorization: `Bearer ${person.token}` }));
  };
  test.each<[string, (person: Person) => Promise<string | undefined>, string]>([
    ['edit', mutation('editMessage', 'EditMessageInput', () => ({ ...input(), content: 'x' })), 'NOT_FOUND'],
    ['delete', mutation('deleteMessage', 'MessageIdInput', input), 'NOT_FOUND'],
    ['react to', mutation('addReaction', 'ReactionInput', () => ({ ...input(), emoji: '👍' })), 'NOT_FOUND'],
    [
      'take a reaction off',
      mutation('removeReaction', 'ReactionInput', () => ({ ...input(), emoji: '👍' })),
      'NOT_FOUND',
    ],
    [
      'answer',
      mutation('sendMessage', 'SendMessageInput', () => ({
        channelId: guild.textChannelId,
        content: 'x',
        replyTo: String(hidden.id),
      })),
      'BAD_USER_INPUT',
    ],
  ])('is refused to all users who want to %s it, including its viewer', async (_, door, code) => {
    for (const person of [bob, ada, cleo]) expect(await door(person)).toBe(code);
  });

  const inChannel = `messages(last: 50) { edges { node { id ephemeral flags type } } }`;
  const seenIn = (channel: Loose) => channel.messages.edges.map(({ node }: Loose) => node.id);

  test.each<[string, (person: Person) => Promise<string[]>]>([
    [
      'a channel',
      async (person) => {
        const { channel } = await person.graphql(`query ($id: ID!) { channel(id: $id) { ${inChannel} } }`, {
          id: guild.textChannelId,
        });
        return seenIn(channel);
      },
    ],
    [
      'the channels of a guild',
      async (person) => {
        const found = await person.graphql(`query ($id: ID!) { guild(id: $id) { channels { ${inChannel} } } }`, {
          id: guild.id,
        });
        return found.guild.channels.flatMap(seenIn);
      },
    ],
  ])('is listed for its viewer only, among the messages of %s', async (_, look) => {
    expect(await look(bob)).toContain(String(hidden.id));
    for (const person of [ada, cleo]) {
      const ids = await look(person);
      expect(ids).toContain(shown);
      expect(ids).not.toContain(String(hidden.id));
    }
  });

  test('is marked as ephemeral for its viewer', async () => {
    const { channel } = await bob.graphql(`query ($id: ID!) { channel(id: $id) { ${inChannel} } }`, {
      id: guild.textChannelId,
    });
    const nodes = channel.messages.edges.map(({ node }: Loose) => node);
    expect(nodes.find(({ id }: Loose) => id === String(hidden.id))).toMatchObject({
      ephemeral: true,
      flags: 64,
      type: 20,
    });
    expect(nodes.find(({ id }: Loose) => id === shown)).toMatchObject({ ephemeral: false, flags: 0, type: 0 });
  });

  test('is not included in a public message that refers to it', async () => {
    const {
      mentionedUsers: _a,
      attachments: _b,
      reactions: _c,
      interaction: _d,
      interactionUsers: _e,
      ...plain
    } = PLAIN_MESSAGE;
    const answers = { type: 19, referenceId: hidden.id, referenceChannelId: channelId };
    const ids = { id: server.app.nextId(), channelId, authorId: BigInt(ada.id) };
    const { id } = await server.app.db.writer.message.create({ data: { ...plain, ...answers, ...ids } });
    const { body } = await new RestBot(server, other).get(`${messages()}/${id}`);
    expect(body.referenced_message).toBeNull();
    const { channel } = await cleo.graphql(
      `query ($id: ID!) { channel(id: $id) { messages(last: 50) { edges { node { id referencedMessage { id } } } } } }`,
      { id: guild.textChannelId },
    );
    const { node } = channel.messages.edges.find((edge: Loose) => edge.node.id === String(id));
    expect(node.referencedMessage).toBeNull();
    await server.app.db.writer.message.delete({ where: { id } });
  });

  test('does not block other messages with its nonce', async () => {
    const nonce = { nonce: 'same', enforce_nonce: true };
    const first = await whisperTo(bob, { body: { content: 'x', ...nonce } });
    const { body } = await new RestBot(server, bot).post(messages(), { content: 'y', ...nonce });
    expect(body).toMatchObject({ content: 'y' });
    expect(body.id).not.toBe(String(first.id));
  });
});

describe('an application', () => {
  const call = () => callOf(server.app, bot.user);
  const place = () => accessChannel(call(), channelId, 'viewChannel');
  const load = async (messageId: bigint, applicationId = bot.id) =>
    loadMessage(call(), await place(), messageId, { kind: 'application', applicationId });

  test('finds its own ephemeral responses, and public messages', async () => {
    const [forBob, forAll] = [await whisperTo(bob), await answer(server.app, bot, channelId)];
    expect(await load(forBob.id)).toEqual(forBob);
    expect(await load(forAll.id)).toEqual(forAll);
    expect(await load(forAll.id, other.id)).toEqual(forAll);
    expect(await outcome(load(forBob.id, other.id))).toBe('UNKNOWN_MESSAGE');
  });

  test('may reply to its ephemeral message for the same user only', async () => {
    const first = await whisperTo(bob);
    const body = { content: 'x', message_reference: { message_id: String(first.id) } };
    const follow = await whisperTo(bob, { body, kind: 0 });
    expect(follow).toMatchObject({ type: 19, referenced: { id: first.id } });
    expect((await load(follow.id)).referenced).toMatchObject({ id: first.id });
    for (const attempt of [
      () => whisperTo(cleo, { body }),
      () => answer(server.app, bot, channelId, { body }),
      () => whisper(server.app, other, channelId, BigInt(bob.id), { body }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ fields: [{ code: 'REPLIES_UNKNOWN_MESSAGE' }] });
    }
    const unsure = { ...body, message_reference: { ...body.message_reference, fail_if_not_exists: false } };
    expect(await answer(server.app, bot, channelId, { body: unsure, kind: 0 })).toMatchObject({
      type: 0,
      referenceId: null,
    });
  });

  test('can edit it twice at once, and both edits count', async () => {
    const message = await whisperTo(bob, { body: { content: 'old', embeds: [{ title: 'old' }] } });
    const [here, edit] = [await place(), { files: [], asAuthor: true }];
    await Promise.all([
      applyEdit(call(), message, { ...edit, place: here, body: toEdit({ content: 'new' }) }),
      applyEdit(call(), message, { ...edit, place: here, body: toEdit({ embeds: [{ title: 'new' }] }) }),
    ]);
    expect(await load(message.id)).toMatchObject({ content: 'new', embeds: [{ title: 'new' }], flags: 64 });
  });

  test('can delete it once, despite several calls', async () => {
    const message = await whisperTo(bob);
    const here = await place();
    const outcomes = await Promise.all([1, 2, 3].map(() => outcome(removeMessage(call(), here, message))));
    expect(outcomes.sort()).toEqual(['UNKNOWN_MESSAGE', 'UNKNOWN_MESSAGE', 'ok']);
  });
});

describe('the events of an ephemeral message', () => {
  const clients: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  async function session(token: string, more: object = {}): Promise<GatewayClient> {
    const client = await GatewayClient.open(server.origin);
    clients.push(client);
    await client.ready(token, more);
    return client;
  }

  async function watch(person: Person): Promise<ChannelEvents> {
    const events = await subscribe(server, person, guild.textChannelId);
    clients.push(events);
    return events;
  }

  async function happen(): Promise<{ id: string; end: string }> {
    const call = callOf(server.app, bot.user);
    const message = await whisperTo(bob);
    const place = await accessChannel(call, channelId, 'viewChannel');
    await applyEdit(call, message, { place, body: toEdit({ content: 'edited' }), files: [], asAuthor: true });
    await removeMessage(call, place, message);
    return { id: String(message.id), end: await sendMessage(ada, guild.textChannelId, 'the end') };
  }

  const EVENTS = ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE'];

  async function sentUntil(client: GatewayClient, end: string) {
    await client.next(({ d }) => d?.id === end);
    return client.frames.filter(({ t, d }) => EVENTS.includes(String(t)) && d.id !== end);
  }

  test("are sent to its application's bot as in a direct channel", async () => {
    const client = await session(bot.token, { intents: Intent.Guilds | Intent.GuildMessages | Intent.DirectMessages });
    const { id, end } = await happen();
    const frames = await sentUntil(client, end);
    expect(frames.map(({ t }) => t)).toEqual(EVENTS);
    for (const { d } of frames) {
      expect(d).toMatchObject({ id, channel_id: String(channelId) });
      expect(d).not.toHaveProperty('guild_id');
      expect(d).not.toHaveProperty('member');
    }
    expect(frames[0]?.d).toMatchObject({ content: 'a whisper', flags: 64 });
    expect(frames[1]?.d).toMatchObject({ content: 'edited', flags: 64 });
  });

  test.each<[string, () => string, object]>([
    ['another bot, whatever its intents', () => other.token, {}],
    [
      'its own bot without the intent for direct messages',
      () => bot.token,
      { intents: Intent.Guilds | Intent.GuildMessages | Intent.MessageContent },
    ],
  ])('are not sent to %s', async (_, token, more) => {
    const client = await session(token(), more);
    const { end } = await happen();
    expect(await sentUntil(client, end)).toEqual([]);
  });

  test('are sent to the first shard of its own bot', async () => {
    const shards = await Promise.all([0, 1].map((shard) => session(bot.token, { shard: [shard, 2] })));
    await happen();
    await shards[0]?.event('MESSAGE_DELETE');
    const settled = await shards[1]?.settled();
    expect(settled?.filter(({ d }) => d.flags === 64)).toEqual([]);
  });

  test('are sent to its viewer only', async () => {
    const [own, owners, members] = [await watch(bob), await watch(ada), await watch(cleo)];
    const { id, end } = await happen();
    for (const type of EVENTS) {
      const event = await own.next();
      expect(event).toMatchObject({ type, data: { id } });
      expect(event.data).not.toHaveProperty('guild_id');
    }
    for (const events of [own, owners, members]) expect((await events.next()).data.id).toBe(end);
  });

  test('in another channel are not sent in this channel', async () => {
    const own = await watch(bob);
    await whisper(server.app, bot, BigInt(guild.voiceChannelId), BigInt(bob.id));
    const end = await sendMessage(ada, guild.textChannelId, 'the end');
    expect((await own.next()).data.id).toBe(end);
  });
});
