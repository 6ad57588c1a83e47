import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { beforeEach, describe, expect } from 'vitest';
import { deleteApplication, resetBotToken, updateApplication } from '../../src/domain/applications/index.js';
import { leaveGuild } from '../../src/domain/guilds/index.js';
import { createInvite, deleteInvite } from '../../src/domain/invites/index.js';
import { setMemberRoles } from '../../src/domain/members/index.js';
import {
  addReaction,
  clearReactions,
  deleteMessage,
  editMessage,
  type MessageKey,
  removeReaction,
  sendMessage as sendMessageAs,
  startTyping,
} from '../../src/domain/messages/index.js';
import { DEFAULT_EVERYONE_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { createRole, setRolePositions } from '../../src/domain/roles/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { messageOfEvent } from '../harness/bus.js';
import { it } from '../harness/fixtures.js';
import { ALL_INTENTS, type Frame, GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { createApplication, createGuild as createGuildOf, install, sendMessage, signUp } from '../harness/people.js';
import { openScene, RestBot, type Scene } from '../harness/rest.js';
import { createDirectChannel, createPerson, denyInChannel, permitEveryone } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import {
  addMember,
  callOf,
  createBot,
  createBotInGuild,
  createChannel,
  createGuild,
  type SentBody,
  say,
  type TestBot,
  type TestGuild,
  toSend,
} from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
const clients: GatewayClient[] = [];

it.beforeAll(({ server: shared }) => {
  server = shared;
});

beforeEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  ({ bot, guild } = await createBotInGuild(server.app));
});

async function session(intents?: number, token = bot.token): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  client.identify(token, intents === undefined ? {} : { intents });
  await client.event('READY');
  if (intents === undefined || (intents & Intent.Guilds) !== 0) await client.event('GUILD_CREATE');
  return client;
}

const permit = (permissions: bigint) => permitEveryone(server.app, guild.id, permissions);

const owner = () => callOf(server.app, guild.owner);

const speak = (content: string, more: SentBody = {}) => say(server.app, guild, guild.owner, content, more);

/** The events of sessions with the guilds intent, up to an event of the guild that comes last. */
async function sentTo(...sessions: GatewayClient[]): Promise<Frame[][]> {
  const { id } = await createChannel(server.app, guild.id, 'the end');
  return Promise.all(
    sessions.map(async (client) => {
      const frames: Frame[] = [];
      for (;;) {
        const frame = await client.next(({ op }) => op === 0);
        if (frame.t === 'CHANNEL_CREATE' && frame.d.id === String(id)) return frames;
        frames.push(frame);
      }
    }),
  );
}

const types = (frames: Frame[]) => frames.map((frame) => frame.t);

it('G-24 dispatches are numbered without gaps and keep the order of a guild', async () => {
  const client = await session();
  for (let count = 0; count < 50; count += 1) await speak(String(count));
  await client.next((frame) => frame.d?.content === '49');
  const dispatches = client.frames.filter((frame) => frame.op === 0);
  expect(dispatches.map((frame) => frame.s)).toEqual(dispatches.map((_, index) => index + 1));
  const heard = dispatches.filter((frame) => frame.t === 'MESSAGE_CREATE');
  expect(heard.map((frame) => Number(frame.d.content))).toEqual(heard.map((_, index) => index));
});

describe('G-25 intents', () => {
  /** Prepares an event and returns a function that causes it. */
  type Cause = () => Promise<() => Promise<unknown>>;
  const atOnce =
    (act: () => Promise<unknown>): Cause =>
    async () =>
      act;
  const place = () => ({ channelId: guild.channel.id });
  const emoji = '👍';
  const toMessage =
    (act: (message: MessageKey) => Promise<unknown>): Cause =>
    async () => {
      const message = { ...place(), messageId: (await speak('hello')).id };
      await addReaction(owner(), { ...message, emoji });
      return () => act(message);
    };
  const events: [number, string, Cause][] = [
    [Intent.GuildMessages, 'MESSAGE_CREATE', atOnce(() => speak('hello'))],
    [
      Intent.GuildMessages,
      'MESSAGE_UPDATE',
      toMessage((message) => editMessage(owner(), { ...message, body: toSend({ content: 'edited' }) })),
    ],
    [Intent.GuildMessages, 'MESSAGE_DELETE', toMessage((message) => deleteMessage(owner(), message))],
    [
      Intent.GuildMessageReactions,
      'MESSAGE_REACTION_ADD',
      toMessage((message) => addReaction(owner(), { ...message, emoji: '👎' })),
    ],
    [
      Intent.GuildMessageReactions,
      'MESSAGE_REACTION_REMOVE',
      toMessage((message) => removeReaction(owner(), { ...message, emoji })),
    ],
    [
      Intent.GuildMessageReactions,
      'MESSAGE_REACTION_REMOVE_ALL',
      toMessage((message) => clearReactions(owner(), message)),
    ],
    [
      Intent.GuildMessageReactions,
      'MESSAGE_REACTION_REMOVE_EMOJI',
      toMessage((message) => clearReactions(owner(), { ...message, emoji })),
    ],
    [Intent.GuildMessageTyping, 'TYPING_START', atOnce(() => startTyping(owner(), place()))],
    [Intent.Guilds, 'CHANNEL_CREATE', atOnce(() => createChannel(server.app, guild.id, 'news'))],
    [Intent.Guilds, 'GUILD_ROLE_CREATE', atOnce(() => createRole(owner(), guild.id, { name: 'new' }))],
    [
      Intent.Guilds,
      'GUILD_ROLE_UPDATE',
      async () => {
        const low = await createRole(owner(), guild.id, { name: 'low' });
        return () => setRolePositions(owner(), guild.id, [{ roleId: low.id, position: 2 }]);
      },
    ],
    [
      Intent.Guilds,
      'GUILD_ROLE_DELETE',
      async () => {
        const other = await createBot(server.app);
        await addMember(server.app, guild.id, other.user);
        return () => leaveGuild(callOf(server.app, other.user), guild.id);
      },
    ],
    [
      Intent.GuildMembers,
      'GUILD_MEMBER_ADD',
      async () => {
        const person = await createPerson(server.app);
        return () => addMember(server.app, guild.id, person);
      },
    ],
    [
      Intent.GuildMembers,
      'GUILD_MEMBER_REMOVE',
      async () => {
        const person = await createPerson(server.app);
        await addMember(server.app, guild.id, person);
        return () => leaveGuild(callOf(server.app, person), guild.id);
      },
    ],
    [Intent.GuildInvites, 'INVITE_CREATE', atOnce(() => createInvite(owner(), guild.channel.id))],
    [
      Intent.GuildInvites,
      'INVITE_DELETE',
      async () => {
        const { code } = await createInvite(owner(), guild.channel.id);
        return () => deleteInvite(owner(), code);
      },
    ],
  ];

  it.each(events)('G-25 with intent %i a session gets %s, and not without it', async (intent, type, prepare) => {
    await permit(DEFAULT_EVERYONE_PERMISSIONS | Permission.ManageChannels);
    const cause = await prepare();
    const others = [Intent.Guilds, Intent.GuildMessages, Intent.GuildMembers, Intent.GuildMessageReactions];
    const without = others.reduce((all, bit) => all | bit, 0) & ~intent;
    const [has, lacks] = [await session(intent), await session(without)];
    await cause();
    expect((await has.next((frame) => frame.t !== 'GUILD_CREATE')).t).toBe(type);
    expect(types(await lacks.settled())).not.toContain(type);
  });

  it("G-25 the platform's own messages never reach a client", async () => {
    const client = await session();
    await updateApplication(callOf(server.app, bot.owner), { applicationId: bot.id, description: 'another' });
    // No internal message is published on a topic of a guild. If one were, the gateway would drop it.
    const own = messageOfEvent(server.app, { type: 'TEAM_UPDATED', teamId: 1n });
    for (const topic of topics.guild(guild.id)) server.app.bus.publish(topic, own);
    expect(await sentTo(client)).toEqual([[]]);
  });
});

describe('G-26 permissions in a channel', () => {
  it('G-26 hide a channel from the bot, from the next event on', async () => {
    const client = await session();
    await speak('seen');
    await client.next((frame) => frame.d?.content === 'seen');
    await permit(0n);
    await speak('hidden');
    await createChannel(server.app, guild.id, 'news');
    await client.event('CHANNEL_CREATE');
    await permit(DEFAULT_EVERYONE_PERMISSIONS);
    await speak('seen again');
    await client.next((frame) => frame.d?.content === 'seen again');
    const heard = client.frames.filter((frame) => frame.t === 'MESSAGE_CREATE').map((frame) => frame.d.content);
    expect(heard).toEqual(['seen', 'seen again']);
  });

  it("G-26 follow the bot's roles as they change", async () => {
    const ada = await signUp(server, 'ada');
    const application = await createApplication(ada);
    const place = await createGuildOf(ada);
    const { textChannelId: channelId } = place;
    await install(ada, application, place);
    await denyInChannel(server, place, channelId, Permission.ViewChannel);
    const { createRole } = await ada.graphql(
      'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }',
      { input: { guildId: place.id, name: 'sees all', permissions: String(Permission.Administrator) } },
    );
    const setRoles = async (roleIds: string[]) => {
      const input = { guildId: place.id, userId: application.id, roleIds };
      await ada.graphql(
        'mutation ($input: SetMemberRolesInput!) { setMemberRoles(input: $input) { member { roles { id } } } }',
        {
          input,
        },
      );
    };
    const client = await session(undefined, application.botToken);
    await sendMessage(ada, channelId, 'hidden');
    await setRoles([createRole.role.id]);
    await sendMessage(ada, channelId, 'seen');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('seen');
    await setRoles([]);
    await sendMessage(ada, channelId, 'hidden again');
    // The audit log entry that ends the bot's permission to see it may or may not be sent.
    const heard = types(await client.settled()).filter((type) => type !== 'GUILD_AUDIT_LOG_ENTRY_CREATE');
    expect(heard).toEqual(['GUILD_MEMBER_UPDATE']);
  });

  it('G-26 keep invites from a bot without ManageChannels', async () => {
    const client = await session();
    await createInvite(owner(), guild.channel.id);
    await speak('after');
    expect((await client.next()).t).toBe('MESSAGE_CREATE');
  });

  it.each([
    [0n, false],
    [Permission.BanMembers, true],
    [Permission.ViewAuditLog, true],
  ])('G-26 with permissions %s, an event that needs one of two in the guild is sent: %s', async (permissions, sent) => {
    await permit(DEFAULT_EVERYONE_PERMISSIONS | permissions);
    const client = await session();
    const anyInGuild = String(Permission.BanMembers | Permission.ViewAuditLog);
    // The only event with such an audience needs one permission. An event that needs two is built by hand.
    const event = messageOfEvent(server.app, { type: 'GUILD_ROLE_DELETE', guildId: guild.id, roleId: 5n });
    server.app.bus.publish(topics.guild(guild.id), { ...event, audience: { intent: Intent.Guilds, anyInGuild } });
    await speak('after');
    await client.event('MESSAGE_CREATE');
    expect(types(client.frames).includes('GUILD_ROLE_DELETE')).toBe(sent);
  });
});

describe('G-27 message content', () => {
  const withoutContent = Intent.Guilds | Intent.GuildMessages;

  it('G-27 is empty without the intent', async () => {
    const [reader, other] = [await session(), await session(withoutContent)];
    const button = { type: 2, style: 5, label: 'secret', url: 'https://a.example/' };
    const facts = {
      embeds: [{ title: 'secret' }],
      components: [{ type: 1, components: [button] }],
    } satisfies SentBody;
    await speak('secret', facts);
    expect((await reader.event('MESSAGE_CREATE')).d).toMatchObject({ content: 'secret', ...facts });
    expect((await other.event('MESSAGE_CREATE')).d).toMatchObject({
      content: '',
      embeds: [],
      attachments: [],
      components: [],
    });
  });

  it("G-27 is present in the bot's own messages and in those that mention it", async () => {
    const client = await session(withoutContent);
    await say(server.app, guild, bot.user, 'mine');
    await speak(`for you, <@${bot.id}>`);
    await speak(`for another, <@${guild.owner.id}>`);
    const contents = [];
    for (let count = 0; count < 3; count += 1) contents.push((await client.event('MESSAGE_CREATE')).d.content);
    expect(contents).toEqual(['mine', `for you, <@${bot.id}>`, '']);
  });
});

const DIRECT = Intent.DirectMessages | Intent.DirectMessageReactions | Intent.DirectMessageTyping;

it('G-25 G-27 direct messages go to their recipients by the direct intents, with their content even without the content intent', async () => {
  const stranger = await createBot(server.app);
  const person = await createPerson(server.app);
  const { id: channelId } = await createDirectChannel(server.app, person, bot.user);
  await addMember(server.app, guild.id, person);
  const [hears, deaf] = [await session(DIRECT), await session(ALL_INTENTS & ~DIRECT & ~Intent.Guilds)];
  const elsewhere = await GatewayClient.open(server.origin);
  await elsewhere.ready(stranger.token);
  const asPerson = callOf(server.app, person);
  const { id: messageId } = await sendMessageAs(asPerson, { channelId, body: toSend({ content: 'between us' }) });
  await addReaction(asPerson, { channelId, messageId, emoji: '👍' });
  await startTyping(asPerson, { channelId });
  const heard = [await hears.next(), await hears.next(), await hears.next()];
  expect(heard.map(({ t, d }) => [t, d.content, d.guild_id])).toEqual([
    ['MESSAGE_CREATE', 'between us', undefined],
    ['MESSAGE_REACTION_ADD', undefined, undefined],
    ['TYPING_START', undefined, undefined],
  ]);
  expect(await deaf.settled()).toEqual([]);
  expect(await elsewhere.settled()).toEqual([]);
  await Promise.all([hears.close(), deaf.close(), elsewhere.close()]);
});

describe('G-27 an answered message is the same over the gateway and over REST', () => {
  let scene: Scene;
  let deaf: RestBot;
  beforeEach(async () => {
    scene = await openScene(server);
    const made = await createBot(server.app, { privilegedIntents: ['GUILD_MEMBERS'] });
    await addMember(server.app, scene.guild.id, made.user);
    deaf = new RestBot(server, made);
  });

  const ofOthers = () => scene.send({ content: 'the target', embeds: [{ title: 'secret' }] });
  const mentioning = () => scene.send({ content: `the target <@${deaf.id}>` });
  const ofItsOwn = async () => (await deaf.post(scene.messages, { content: 'the target' })).body;
  const silently = { allowed_mentions: { parse: [] } };

  it.each([
    ['is redacted in a message that is redacted itself', ofOthers, () => ({ content: 'reply', ...silently }), ['', '']],
    ['is redacted in a message that mentions the bot', ofOthers, () => ({ content: `for <@${deaf.id}>` }), ['for', '']],
    [
      'is whole where it mentions the bot too',
      mentioning,
      () => ({ content: `for <@${deaf.id}>` }),
      ['for', 'the target'],
    ],
    [
      "is whole where it is the bot's own, whom the answer mentions",
      ofItsOwn,
      () => ({ content: 'for' }),
      ['for', 'the target'],
    ],
    [
      "is redacted with the answer, though the bot's own, where the answer does not mention it",
      ofItsOwn,
      () => ({ content: 'reply', ...silently }),
      ['', ''],
    ],
  ])('%s', async (_rule, target, answer, contents) => {
    const { id } = await target();
    const [hears, hearing] = [
      await session(Intent.GuildMessages, deaf.bot.token),
      await session(undefined, scene.other.bot.token),
    ];
    const sent = await scene.send({ ...answer(), message_reference: { message_id: id } });
    const heard = (await hears.event('MESSAGE_CREATE')).d;
    const read = (await deaf.get(`${scene.messages}/${sent.id}`)).body;
    const wordsOf = (message: Loose) =>
      [message, message.referenced_message].map(({ content }) => content.replace(/ ?<@\d+>/, ''));
    expect(wordsOf(heard)).toEqual(contents);
    expect(wordsOf(read)).toEqual(contents);
    if (contents[1] === '') expect([heard, read].map((one) => one.referenced_message.embeds)).toEqual([[], []]);
    const { d: whole } = await hearing.event('MESSAGE_CREATE');
    expect(wordsOf(whole)[1]).toBe('the target');
  });
});

describe('G-28 members', () => {
  it("G-28 an update of the bot's own member needs no intent, an update of another member needs the members intent", async () => {
    const { id: roleId } = await createRole(owner(), guild.id, { name: 'given' });
    const [members, guilds] = [await session(), await session(Intent.Guilds)];
    const person = await createPerson(server.app);
    await addMember(server.app, guild.id, person);
    for (const { id: userId } of [person, bot]) {
      await setMemberRoles(owner(), { guildId: guild.id, userId, roleIds: [roleId] });
    }
    const [toMembers, toGuilds] = (await sentTo(members, guilds)).map((frames) =>
      frames.map((frame) => [frame.t, frame.d.user.id]),
    );
    expect(toMembers).toEqual([
      ['GUILD_MEMBER_ADD', String(person.id)],
      ['GUILD_MEMBER_UPDATE', String(person.id)],
      ['GUILD_MEMBER_UPDATE', String(bot.id)],
    ]);
    expect(toGuilds).toEqual([['GUILD_MEMBER_UPDATE', String(bot.id)]]);
  });

  it('G-28 a bot does not get the events of its own joining and leaving', async () => {
    const client = await session();
    const other = await createGuild(server.app);
    const joined = await addMember(server.app, other.id, bot.user);
    await client.event('GUILD_CREATE');
    // A session that already knows the membership can get this event.
    server.app.publish({ type: 'GUILD_MEMBER_ADD', member: joined });
    await leaveGuild(callOf(server.app, bot.user), other.id);
    await client.event('GUILD_DELETE');
    expect(types(client.frames).filter((type) => type?.startsWith('GUILD_MEMBER'))).toEqual([]);
    expect(await sentTo(client)).toEqual([[]]);
  });
});

describe('G-29 joining and leaving', () => {
  it('G-29 GUILD_CREATE and GUILD_DELETE go to the shard of the guild, and no events of the guild follow', async () => {
    const other = await createBot(server.app);
    const home = Number((guild.id >> 22n) % 2n);
    const shards = [];
    for (const id of [home, 1 - home]) {
      const client = await GatewayClient.open(server.origin);
      clients.push(client);
      await client.ready(other.token, { shard: [id, 2] });
      shards.push(client);
    }
    const [here, elsewhere] = shards as [GatewayClient, GatewayClient];
    await addMember(server.app, guild.id, other.user);
    expect((await here.event('GUILD_CREATE')).d.id).toBe(String(guild.id));
    await speak('welcome');
    expect((await here.event('MESSAGE_CREATE')).d.content).toBe('welcome');
    await leaveGuild(callOf(server.app, other.user), guild.id);
    await speak('gone');
    expect((await here.event('GUILD_DELETE')).d).toEqual({ id: String(guild.id) });
    expect(await here.settled()).toEqual([]);
    expect(await elsewhere.settled()).toEqual([]);
  });
});

describe('G-30 token reset', () => {
  it('G-30 closes every session of the bot with 4004, and a RESUME finds none', async () => {
    const [one, two] = [await session(), await session()];
    const { botToken: token } = await resetBotToken(callOf(server.app, bot.owner), bot.id);
    expect([(await one.closed).code, (await two.closed).code]).toEqual([4004, 4004]);
    const again = await GatewayClient.open(server.origin);
    clients.push(again);
    const { session_id } = one.frames.find((frame) => frame.t === 'READY')!.d;
    again.send(6, { token, session_id, seq: 1 });
    expect((await again.op(9)).d).toBe(false);
  });

  it('G-30 closes the sessions of a deleted application with 4004', async () => {
    const client = await session();
    const { username: name } = bot.user;
    await deleteApplication(callOf(server.app, bot.owner), { applicationId: bot.id, name });
    expect((await client.closed).code).toBe(4004);
  });
});
