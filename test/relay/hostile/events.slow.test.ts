import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askHonest, type HostileScene, openHostile, tell } from '../../harness/hostile.js';
import { listenTo } from '../../harness/live.js';
import { createBot } from '../../harness/world.js';

let scene: HostileScene;
beforeAll(async () => {
  scene = await openHostile();
});
afterAll(() => scene.stop());

const own = () => String(scene.box.nextId());
const person = (id = own()) => ({ id, username: 'ada', discriminator: '0', global_name: null, avatar: null });
const botUser = (id = scene.bot.id) => ({ ...person(id), username: 'Bank', bot: true });
const stranger = () => person(String(scene.cloudGuild.owner.id));
const joined_at = '2026-01-02T03:04:05+00:00';
const facts = () => ({ roles: [own()], joined_at, nick: null, deaf: false, mute: false });
const place = () => ({ guild_id: scene.guild.id, channel_id: scene.guild.channels[0] });
const elsewhere = () => ({ guild_id: String(scene.cloudGuild.id), channel_id: String(scene.cloudGuild.channel.id) });
const atNeighbour = () => ({ guild_id: scene.honest.guild.id, channel_id: scene.honest.guild.channels[0] });
const message = (more: object = {}) => ({
  id: own(),
  ...place(),
  author: person(),
  content: 'x',
  timestamp: joined_at,
  type: 0,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  ...more,
});
const role = (more: object = {}) => ({ id: own(), name: 'r', permissions: '8', position: 1, ...more });
const channel = (more: object = {}) => ({ id: own(), type: 0, name: 'c', position: 1, ...more });
const guild = (more: object = {}) => ({
  id: scene.guild.id,
  name: 'Den',
  owner_id: scene.guild.owner_id,
  roles: [role()],
  ...more,
});

const voice = (more: object) => ({
  ...place(),
  user_id: own(),
  session_id: 'x',
  self_mute: false,
  self_deaf: false,
  ...more,
});

type Attack = [string, string, () => object];

const MESSAGES: Attack[] = [
  ["in another's guild", 'MESSAGE_CREATE', () => message(elsewhere())],
  ["in a neighbour's guild", 'MESSAGE_CREATE', () => message(atNeighbour())],
  ["in another's channel", 'MESSAGE_CREATE', () => message({ channel_id: elsewhere().channel_id })],
  ["in a neighbour's channel", 'MESSAGE_CREATE', () => message({ channel_id: atNeighbour().channel_id })],
  ['in no guild, as a direct message', 'MESSAGE_CREATE', () => message({ guild_id: undefined })],
  ['with the id of another', 'MESSAGE_CREATE', () => message({ id: String(scene.cloudGuild.id) })],
  ['by a person of the cloud', 'MESSAGE_CREATE', () => message({ author: stranger() })],
  ['by a person of the cloud as a bot', 'MESSAGE_CREATE', () => message({ author: { ...stranger(), bot: true } })],
  ['by a bot of the cloud as a person', 'MESSAGE_CREATE', () => message({ author: person(scene.bot.id) })],
  ['by a bot that is not there', 'MESSAGE_CREATE', () => message({ author: botUser(String(scene.stranger.id)) })],
  ['by a neighbour', 'MESSAGE_UPDATE', () => message({ author: person(String(scene.honest.box.nextId())) })],
  [
    'by a bot that is not there, as a webhook of its own',
    'MESSAGE_CREATE',
    () => message({ author: botUser(String(scene.stranger.id)), webhook_id: own() }),
  ],
  ['by a bot, as a webhook of its own', 'MESSAGE_CREATE', () => message({ author: botUser(), webhook_id: own() })],
  ['by a bot that never was there', 'MESSAGE_UPDATE', () => message({ author: botUser(String(scene.stranger.id)) })],
  ["by another's webhook", 'MESSAGE_CREATE', () => message({ author: botUser(), webhook_id: scene.webhook.id })],
  ['by a webhook that there is not', 'MESSAGE_CREATE', () => message({ author: botUser(), webhook_id: scene.bot.id })],
  ['that mentions a person of the cloud', 'MESSAGE_CREATE', () => message({ mentions: [stranger()] })],
  ["that mentions another's role", 'MESSAGE_CREATE', () => message({ mention_roles: [String(scene.cloudGuild.id)] })],
  ['with a member of the cloud', 'MESSAGE_CREATE', () => message({ member: { ...facts(), user: stranger() } })],
  [
    'that answers one of a person of the cloud',
    'MESSAGE_CREATE',
    () => message({ referenced_message: message({ author: stranger() }) }),
  ],
  ['that refers to another guild', 'MESSAGE_CREATE', () => message({ message_reference: elsewhere() })],
  [
    'with a snapshot of another message',
    'MESSAGE_CREATE',
    () => message({ message_snapshots: [{ message: message({ author: stranger() }) }] }),
  ],
  [
    'that answers an interaction of a person of the cloud',
    'MESSAGE_CREATE',
    () => message({ interaction_metadata: { id: own(), type: 2, user: stranger() } }),
  ],
  [
    'by whose install',
    'MESSAGE_CREATE',
    () => message({ interaction_metadata: { authorizing_integration_owners: { 1: stranger().id } } }),
  ],
  [
    'with somebody resolved by the key',
    'MESSAGE_CREATE',
    () => message({ resolved: { members: { [stranger().id]: facts() } } }),
  ],
  ['with a thread of another', 'MESSAGE_CREATE', () => message({ thread: channel({ id: elsewhere().channel_id }) })],
  ['for one person alone', 'MESSAGE_CREATE', () => message({ flags: 64 })],
  [
    'with a file that is a script',
    'MESSAGE_CREATE',
    () => message({ attachments: [{ id: own(), url: 'javascript:1' }] }),
  ],
  [
    'with a file of the machine',
    'MESSAGE_CREATE',
    () => message({ attachments: [{ id: own(), url: 'file:///etc/hosts' }] }),
  ],
  ['with a picture that leads elsewhere', 'MESSAGE_CREATE', () => message({ author: { ...person(), avatar: '../x' } })],
  ['of another, deleted', 'MESSAGE_DELETE', () => ({ ...place(), id: String(scene.cloudGuild.id) })],
  ["in another's channel, deleted", 'MESSAGE_DELETE', () => ({ ...elsewhere(), id: own() })],
  ['of others, deleted', 'MESSAGE_DELETE_BULK', () => ({ ...place(), ids: [own(), String(scene.cloudGuild.id)] })],
];

const OTHERS: Attack[] = [
  [
    'a reaction of a person of the cloud',
    'MESSAGE_REACTION_ADD',
    () => ({ ...place(), message_id: own(), user_id: stranger().id, emoji: { id: null, name: 'x' } }),
  ],
  [
    'a reaction of a bot that is not there',
    'MESSAGE_REACTION_ADD',
    () => ({ ...place(), message_id: own(), user_id: String(scene.stranger.id), emoji: { id: null, name: 'x' } }),
  ],
  [
    'typing of a bot that is not there',
    'TYPING_START',
    () => ({ ...place(), user_id: String(scene.stranger.id), timestamp: 1 }),
  ],
  [
    'a bot that is not there as a new member',
    'GUILD_MEMBER_ADD',
    () => ({ guild_id: scene.guild.id, ...facts(), user: botUser(String(scene.stranger.id)) }),
  ],
  [
    'a bot that is not there as a member',
    'GUILD_MEMBER_UPDATE',
    () => ({ guild_id: scene.guild.id, ...facts(), user: botUser(String(scene.stranger.id)) }),
  ],
  [
    'a bot that is not there in voice',
    'VOICE_STATE_UPDATE',
    () => voice({ user_id: String(scene.stranger.id), member: undefined }),
  ],
  ['typing in another guild', 'TYPING_START', () => ({ ...elsewhere(), user_id: own(), timestamp: 1 })],
  ['a channel of another', 'CHANNEL_UPDATE', () => channel({ guild_id: scene.guild.id, id: elsewhere().channel_id })],
  [
    "a neighbour's channel as new",
    'CHANNEL_CREATE',
    () => channel({ guild_id: scene.guild.id, id: atNeighbour().channel_id }),
  ],
  ["a channel in another's guild", 'CHANNEL_CREATE', () => channel({ guild_id: elsewhere().guild_id })],
  ['a direct channel', 'CHANNEL_CREATE', () => channel({ guild_id: scene.guild.id, type: 1 })],
  [
    "a neighbour's channel, deleted",
    'CHANNEL_DELETE',
    () => channel({ ...atNeighbour(), id: atNeighbour().channel_id }),
  ],
  ["another's guild", 'GUILD_UPDATE', () => guild({ id: elsewhere().guild_id })],
  ["a neighbour's guild", 'GUILD_UPDATE', () => guild({ id: atNeighbour().guild_id })],
  ['a guild whose owner is a person of the cloud', 'GUILD_UPDATE', () => guild({ owner_id: stranger().id })],
  [
    'a person of the cloud as a member',
    'GUILD_MEMBER_ADD',
    () => ({ guild_id: scene.guild.id, ...facts(), user: stranger() }),
  ],
  ['a member elsewhere', 'GUILD_MEMBER_ADD', () => ({ guild_id: elsewhere().guild_id, ...facts(), user: person() })],
  ['a kick elsewhere', 'GUILD_MEMBER_REMOVE', () => ({ guild_id: elsewhere().guild_id, user: botUser() })],
  ["a kick at a neighbour's", 'GUILD_MEMBER_REMOVE', () => ({ guild_id: atNeighbour().guild_id, user: botUser() })],
  ['a ban of a person of the cloud', 'GUILD_BAN_ADD', () => ({ guild_id: scene.guild.id, user: stranger() })],
  [
    "another's role",
    'GUILD_ROLE_UPDATE',
    () => ({ guild_id: scene.guild.id, role: role({ id: elsewhere().guild_id }) }),
  ],
  ["a role in another's guild", 'GUILD_ROLE_CREATE', () => ({ guild_id: elsewhere().guild_id, role: role() })],
  ["another's role, deleted", 'GUILD_ROLE_DELETE', () => ({ guild_id: scene.guild.id, role_id: elsewhere().guild_id })],
  ['a person of the cloud in voice', 'VOICE_STATE_UPDATE', () => voice({ user_id: stranger().id })],
  ["somebody in another's voice", 'VOICE_STATE_UPDATE', () => voice({ channel_id: elsewhere().channel_id })],
  [
    'a person of the cloud as who is in voice',
    'VOICE_STATE_UPDATE',
    () => voice({ member: { ...facts(), user: stranger() } }),
  ],
];

const NOT_OF_BOXES: Attack[] = [
  ['an interaction', 'INTERACTION_CREATE', () => ({ ...place(), id: own(), token: 'x' })],
  ['who is online', 'PRESENCE_UPDATE', () => ({ guild_id: scene.guild.id, user: person(), status: 'online' })],
  ['READY', 'READY', () => ({ user: botUser(), guilds: [] })],
  ['a new guild', 'GUILD_CREATE', () => guild()],
  ['the end of a guild', 'GUILD_DELETE', () => ({ id: elsewhere().guild_id, guild_id: scene.guild.id })],
  ['a user', 'USER_UPDATE', () => botUser()],
  ['a webhook', 'WEBHOOKS_UPDATE', () => place()],
  ['an event of this program alone', 'BOX_ROUTES_UPDATED', () => place()],
  ['an entry of the audit log', 'GUILD_AUDIT_LOG_ENTRY_CREATE', () => ({ guild_id: scene.guild.id, id: own() })],
  ['the prototype of all', '__proto__', () => place()],
  ['a name of a megabyte', 'x'.repeat(200), () => place()],
];

describe("R-34, R-35: an event about objects that are not the box's is left out and logged with the id of the box", () => {
  describe.each([
    ['a message', MESSAGES],
    ['of the rest', OTHERS],
    ['what boxes do not report', NOT_OF_BOXES],
  ])('%s', (_kind, attacks) => {
    it.each(attacks)('%s (%s)', async (_what, t, makeD) => {
      const s = await scene.begin();
      const told = listenTo(scene.server, scene.guild.id);
      const before = scene.loggedOf().length;
      await tell(scene.box, s, [{ op: 'dispatch', t, d: makeD() }]);
      expect(told.rest().filter(({ type }) => type === t)).toEqual([]);
      for (const { rest } of scene.elsewhere) expect(rest()).toEqual([]);
      const logged = scene.loggedOf().slice(before);
      expect(logged).toContainEqual(
        expect.objectContaining({ msg: 'Ignored invalid events of a box', name: t.slice(0, 50) }),
      );
    });
  });

  it('but the same event about an object of the box is published', async () => {
    const s = await scene.begin();
    const told = listenTo(scene.server, scene.guild.id);
    await tell(scene.box, s, [{ op: 'dispatch', t: 'MESSAGE_CREATE', d: message() }]);
    expect(told.rest().map(({ type }) => type)).toContain('MESSAGE_CREATE');
  });

  it('R-35: but a bot of the cloud looks as the cloud says', async () => {
    const s = await scene.begin();
    const told = listenTo(scene.server, scene.guild.id);
    await tell(scene.box, s, [{ op: 'dispatch', t: 'MESSAGE_CREATE', d: message({ author: botUser() }) }]);
    const [created] = told.rest().filter(({ type }) => type === 'MESSAGE_CREATE');
    const { author } = JSON.parse(created?.data ?? '{}');
    expect(author).toMatchObject({ id: scene.bot.id, username: scene.bot.bot.user.username, bot: true });
    expect(JSON.stringify(created)).not.toContain('Bank');
  });

  it('R-35: but changes of messages by a removed bot are published, and no new messages of it', async () => {
    const s = await scene.begin();
    const told = listenTo(scene.server, scene.guild.id);
    const { app } = scene.server;
    const gone = await createBot(app);
    const entry = { id: app.nextId(), action: 'INSTALLATION_PUT', guildId: BigInt(scene.guild.id), changes: {} };
    await app.db.writer.auditEntry.create({ data: { ...entry, applicationId: gone.id } });
    const d = message({ author: botUser(String(gone.id)), pinned: true });
    await tell(
      scene.box,
      s,
      ['MESSAGE_UPDATE', 'MESSAGE_CREATE'].map((t) => ({ op: 'dispatch', t, d })),
    );
    expect(told.rest().filter(({ type }) => type.startsWith('MESSAGE'))).toMatchObject([{ type: 'MESSAGE_UPDATE' }]);
  });

  it('R-35: but a bot that is being installed is published as a member before its installation is stored', async () => {
    const s = await scene.begin();
    const told = listenTo(scene.server, scene.guild.id);
    const { app } = scene.server;
    const bot = await createBot(app);
    const question = { guild_id: scene.guild.id, bot: bot.user, name: 'x', permissions: '0' };
    const asked = app.boxes.ask(scene.box.id, 'install_bot', question);
    const { id } = await scene.box.relay.next('call');
    const d = { guild_id: scene.guild.id, ...facts(), user: botUser(String(bot.id)) };
    await tell(scene.box, s, [{ op: 'dispatch', t: 'GUILD_MEMBER_ADD', d }]);
    expect(told.rest().map(({ type }) => type)).toContain('GUILD_MEMBER_ADD');
    scene.box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 2 });
    scene.box.relay.sendBody(id, '{}');
    await asked;
  });

  it('and the other guilds are unchanged', async () => {
    const { app } = scene.server;
    const { guild: there } = scene.honest;
    for (const id of [there.id, scene.guild.id]) expect(await app.boxRoutes.ofGuild(BigInt(id))).not.toBeNull();
    expect(await app.boxRoutes.ofChannel(BigInt(there.channels[0] ?? ''))).toMatchObject({ guildId: BigInt(there.id) });
    expect(await app.db.reader.installation.count({ where: { guildId: BigInt(there.id) } })).toBe(1);
    expect(await askHonest(scene)).toBe(204);
  });
});

describe("R-33: an announcement closes 4104, and is logged with the box's id", () => {
  it.each<[string, () => object]>([
    ['of a guild of the cloud', () => ({ id: String(scene.cloudGuild.id) })],
    ["of a neighbour's guild", () => ({ id: scene.honest.guild.id })],
    ['of an id of no box', () => ({ id: '1' })],
    ['with a channel of the cloud', () => ({ channels: [String(scene.cloudGuild.channel.id)] })],
    ["with a neighbour's channel", () => ({ channels: scene.honest.guild.channels })],
    ['owned by a person of the cloud', () => ({ owner_id: stranger().id })],
    ['owned by a bot of the cloud', () => ({ owner_id: scene.bot.id })],
  ])('%s', async (_what, more) => {
    const s = await scene.begin();
    const before = scene.loggedOf().length;
    scene.box.relay.send({
      op: 'announce',
      s: s + 1,
      guild: { ...scene.guild, id: own(), channels: [own()], ...more() },
    });
    expect(await scene.box.relay.closed).toMatchObject({ code: 4104 });
    await expect.poll(() => scene.loggedOf().slice(before)).toContainEqual(expect.objectContaining({ code: 4104 }));
    const { guild: there } = scene.honest;
    expect(await scene.server.app.boxRoutes.ofGuild(BigInt(there.id))).toMatchObject({ boxId: scene.honest.box.id });
  });

  it('of bots that are not installed shows them nothing', async () => {
    const s = await scene.begin();
    const strange = { ...scene.guild, bots: [scene.bot.id, String(scene.stranger.id)] };
    await tell(scene.box, s, [{ op: 'announce', guild: strange }]);
    const where = { guildId: BigInt(scene.guild.id) };
    expect(await scene.server.app.db.reader.installation.count({ where })).toBe(1);
  });
});

describe("R-2, R-3: an invalid message closes 4002, and is logged with the box's id", () => {
  const dispatch = (d: string) => `{"op":"dispatch","s":1,"t":"MESSAGE_CREATE","d":${d}}`;
  it.each<[string, () => string | Buffer | object]>([
    ['a guild with a name of ten megabytes', () => ({ op: 'announce', s: 1, guild: { name: 'x'.repeat(10_000_000) } })],
    [
      'a guild with a name of 300 characters',
      () => ({ op: 'announce', s: 1, guild: { ...scene.guild, name: 'x'.repeat(300) } }),
    ],
    [
      'a million channels',
      () => JSON.stringify({ op: 'announce', s: 1, guild: { channels: Array(1_000_000).fill(1) } }),
    ],
    ['objects in each other', () => dispatch(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)],
    ['200,001 values', () => dispatch(`{"a":[${'1,'.repeat(200_001)}1]}`)],
    ['a ping with text', () => ({ op: 'ping', t: 'x' })],
    ['an answer without a request', () => ({ op: 'response', id: 77, status: 200, headers: {}, body: 0 })],
    ['pieces that were not announced', () => Buffer.from([0, 0, 0, 9, 1])],
    ['hello once more', () => ({ op: 'hello', versions: [1], key: 'A'.repeat(43) })],
  ])('%s', async (_what, make) => {
    await scene.begin();
    const before = scene.loggedOf().length;
    scene.box.relay.send(make());
    expect(await scene.box.relay.closed).toMatchObject({ code: 4002 });
    await expect.poll(() => scene.loggedOf().slice(before)).toContainEqual(expect.objectContaining({ code: 4002 }));
    expect(await askHonest(scene)).toBe(204);
  });
});
