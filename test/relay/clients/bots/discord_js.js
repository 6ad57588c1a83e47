// A stock discord.js bot that moderates a server with all that self-hosted servers support. It compares its caches with
// REST responses.
import assert from 'node:assert/strict';
import {
  AuditLogEvent,
  ChannelType,
  Client,
  Events,
  GatewayIntentBits,
  MessageType,
  PermissionFlagsBits,
} from 'discord.js';

const { API_URL, BOT_TOKEN, GUILD_ID, CHANNEL_ID, CREW_CHANNEL_ID, VOICE_CHANNEL_ID } = process.env;
const { KEEPER_ID, KICKED_ID, BANNED_ID } = process.env;

const client = new Client({
  intents: Object.values(GatewayIntentBits).filter((bit) => typeof bit === 'number'),
  rest: { api: API_URL, retries: 0 },
});
const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
await client.login(BOT_TOKEN);
await ready;
console.log('online');

const next = (event, isWanted = () => true) =>
  new Promise((resolve) => {
    const listen = (...values) => {
      if (!isWanted(...values)) return;
      client.off(event, listen);
      resolve(values);
    };
    client.on(event, listen);
  });
/** Acts, and resolves with the response once the event came. */
const heard = async (event, isWanted, act) => (await Promise.all([act(), next(event, isWanted)]))[0];
const idsOf = (things) => [...things.keys()].sort();

const guild = client.guilds.cache.get(GUILD_ID);
assert.deepEqual([guild.available, guild.name, guild.ownerId, guild.large], [true, 'Attic', KEEPER_ID, true]);
assert.deepEqual(idsOf(guild.channels.cache), idsOf(await guild.channels.fetch()));
assert.deepEqual(idsOf(guild.roles.cache), idsOf(await guild.roles.fetch(undefined, { cache: false })));
assert.equal(guild.members.me.id, client.user.id);
assert.ok(guild.members.me.roles.botRole.managed);
assert.equal(guild.memberCount, 1_104);
const members = await guild.members.fetch();
assert.deepEqual([members.size, guild.members.cache.size], [1_104, 1_104]);
const found = await guild.members.fetch({ query: 'crowd7', limit: 5 });
const { approximateMemberCount } = await client.guilds.fetch({ guild: GUILD_ID, force: true, cache: false });
assert.equal(approximateMemberCount, 1_104);
assert.deepEqual(idsOf(await guild.members.fetch({ user: [KICKED_ID, BANNED_ID], withPresences: true })), [
  KICKED_ID,
  BANNED_ID,
]);
assert.ok(found.size === 5 && found.every(({ user }) => user.username.startsWith('crowd7')));

// Permissions from the caches.
const { ViewChannel, SendMessages, AddReactions, ManageMessages } = PermissionFlagsBits;
const compared = ViewChannel | SendMessages | AddReactions | ManageMessages;
const bitsIn = (channelId) => (userId) => {
  const { bitfield } = guild.channels.cache.get(channelId).permissionsFor(userId);
  return [userId, String(bitfield & ViewChannel ? bitfield & compared : 0n)];
};
const users = [KEEPER_ID, KICKED_ID, BANNED_ID, client.user.id];
const permissions = [CHANNEL_ID, CREW_CHANNEL_ID].map((id) => [id, Object.fromEntries(users.map(bitsIn(id)))]);
console.log(`permissions ${JSON.stringify(Object.fromEntries(permissions))}`);

const general = guild.channels.cache.get(CHANNEL_ID);
const collected = general.awaitMessages({ max: 1, filter: ({ author }) => author.id === KEEPER_ID });
console.log('listening');
const question = (await collected).first();
assert.equal(question.content, 'who is there?');
assert.deepEqual([question.member.id, question.guild.id], [KEEPER_ID, GUILD_ID]);
await general.sendTyping();
const [[reaction]] = await Promise.all([next(Events.MessageReactionAdd), question.reply('a bot')]);
assert.deepEqual([reaction.emoji.name, idsOf(await reaction.users.fetch())], ['👍', [KICKED_ID]]);

// The server.
await heard(
  Events.GuildUpdate,
  (_old, { name }) => name === 'Moderated',
  () => guild.edit({ name: 'Moderated', description: 'by a bot', reason: 'a reason: ä' }),
);
assert.deepEqual([guild.name, guild.description], ['Moderated', 'by a bot']);

// Roles.
const role = await guild.roles.create({
  name: 'Crew',
  colors: { primaryColor: 0x112233 },
  hoist: true,
  permissions: [],
});
const lower = await guild.roles.create({ name: 'Guests', permissions: [ViewChannel] });
await role.edit({ name: 'Sailors', permissions: [SendMessages] });
await lower.setPosition(role.position);
const roles = await guild.roles.fetch(undefined, { cache: false });
const placesOf = (some) => [...some.values()].map(({ id, name, rawPosition }) => [id, name, rawPosition]).sort();
assert.deepEqual(placesOf(roles), placesOf(guild.roles.cache));

// Members.
const member = guild.members.cache.get(BANNED_ID);
await heard(
  Events.GuildMemberUpdate,
  (_old, { roles }) => roles.cache.has(role.id),
  () => member.roles.add(role),
);
await heard(
  Events.GuildMemberUpdate,
  (_old, { nickname }) => nickname === 'Captain',
  () => member.setNickname('Captain'),
);
await member.timeout(60_000, 'calm down');
assert.ok(member.isCommunicationDisabled());
await member.timeout(null);
const again = await guild.members.fetch({ user: BANNED_ID, force: true });
assert.deepEqual(
  [again.nickname, again.roles.cache.has(role.id), again.isCommunicationDisabled()],
  ['Captain', true, false],
);
assert.deepEqual(idsOf(await guild.members.search({ query: 'capt' })), [BANNED_ID]);
await heard(
  Events.GuildMemberUpdate,
  (_old, { roles }) => !roles.cache.has(role.id),
  () => member.roles.remove(role),
);
await guild.members.me.setNickname('Keeper of lamps');

// Channels.
const category = await guild.channels.create({ name: 'Rooms', type: ChannelType.GuildCategory });
const channel = await heard(
  Events.ChannelCreate,
  ({ name }) => name === 'bridge',
  () =>
    guild.channels.create({
      name: 'bridge',
      parent: category,
      topic: 'the sea',
      permissionOverwrites: [
        { id: guild.id, deny: [SendMessages] },
        { id: client.user.id, allow: [SendMessages] },
      ],
    }),
);
assert.ok(!channel.permissionsFor(BANNED_ID).has(SendMessages));
await heard(
  Events.ChannelUpdate,
  (_old, { topic }) => topic === 'the sky',
  () => channel.edit({ topic: 'the sky', nsfw: true, rateLimitPerUser: 5 }),
);
const voice = await guild.channels.create({
  name: 'Deck',
  type: ChannelType.GuildVoice,
  userLimit: 5,
  bitrate: 32_000,
});
await guild.channels.setPositions([{ channel: channel.id, position: 1 }]);
const channels = await guild.channels.fetch(undefined, { cache: false });
assert.deepEqual(idsOf(channels), idsOf(guild.channels.cache));
assert.equal(channels.get(channel.id).topic, 'the sky');

// Voice.
const speaker = guild.members.cache.get(KICKED_ID);
assert.equal(speaker.voice.channelId, VOICE_CHANNEL_ID);
const voiceChange = (isSo, act) => heard(Events.VoiceStateUpdate, (_old, state) => isSo(state), act);
await voiceChange(
  ({ serverMute }) => serverMute,
  () => speaker.voice.setMute(true),
);
await voiceChange(
  ({ channelId }) => channelId === voice.id,
  () => speaker.voice.setChannel(voice),
);
await voiceChange(
  ({ channelId }) => channelId === null,
  () => speaker.voice.disconnect(),
);

// Messages, pins and reactions.
const messages = [];
for (const text of ['one', 'two', 'three']) {
  messages.push(
    await heard(
      Events.MessageCreate,
      ({ content }) => content === text,
      () => channel.send(text),
    ),
  );
}
const [one, two, three] = messages;
await heard(
  Events.MessageUpdate,
  (_old, { content }) => content === 'first',
  () => one.edit('first'),
);
assert.deepEqual(
  [...(await channel.messages.fetch({ limit: 2, cache: false })).values()].map(({ content }) => content),
  ['three', 'two'],
);
await heard(
  Events.ChannelPinsUpdate,
  ({ id }) => id === channel.id,
  () => one.pin(),
);
assert.deepEqual(
  (await channel.messages.fetchPins()).items.map(({ message }) => message.id),
  [one.id],
);
await one.unpin();
await heard(
  Events.MessageReactionAdd,
  ({ message }) => message.id === two.id,
  () => two.react('👍'),
);
await heard(
  Events.MessageReactionRemove,
  ({ message }) => message.id === two.id,
  () => two.reactions.cache.get('👍').users.remove(),
);
await two.react('👋');
await two.reactions.cache.get('👋').remove();
await two.react('👋');
await heard(
  Events.MessageReactionRemoveAll,
  ({ id }) => id === two.id,
  () => two.reactions.removeAll(),
);
await heard(
  Events.MessageDelete,
  ({ id }) => id === one.id,
  () => one.delete(),
);
const swept = next(Events.MessageBulkDelete);
await channel.bulkDelete([two.id, three.id]);
assert.deepEqual(idsOf((await swept)[0]), [two.id, three.id].sort());
// The system message about a pin stays.
assert.deepEqual(
  (await channel.messages.fetch({ cache: false })).map(({ type }) => type),
  [MessageType.ChannelPinnedMessage],
);

// Kicks, bans and their log.
await heard(
  Events.GuildMemberRemove,
  ({ id }) => id === KICKED_ID,
  () => guild.members.kick(KICKED_ID, 'a long day: ä'),
);
assert.equal(guild.members.cache.has(KICKED_ID), false);
await heard(
  Events.GuildBanAdd,
  ({ user }) => user.id === BANNED_ID,
  () => guild.bans.create(BANNED_ID, { deleteMessageSeconds: 60, reason: 'mutiny' }),
);
assert.equal((await guild.bans.fetch(BANNED_ID)).reason, 'mutiny');
assert.deepEqual(idsOf(await guild.bans.fetch()), [BANNED_ID]);
await heard(
  Events.GuildBanRemove,
  ({ user }) => user.id === BANNED_ID,
  () => guild.bans.remove(BANNED_ID, 'forgiven'),
);
const logOf = async (type) => {
  const entry = (await guild.fetchAuditLogs({ type, limit: 5 })).entries.first();
  return [entry.targetId, entry.executorId, entry.reason];
};
assert.deepEqual(await logOf(AuditLogEvent.MemberKick), [KICKED_ID, client.user.id, 'a long day: ä']);
assert.deepEqual(await logOf(AuditLogEvent.MemberBanAdd), [BANNED_ID, client.user.id, 'mutiny']);
assert.deepEqual(await logOf(AuditLogEvent.MemberBanRemove), [BANNED_ID, client.user.id, 'forgiven']);
assert.equal((await guild.fetchAuditLogs({ type: AuditLogEvent.GuildUpdate })).entries.first().reason, 'a reason: ä');

await heard(
  Events.ChannelDelete,
  ({ id }) => id === channel.id,
  () => channel.delete(),
);
for (const made of [voice, category])
  await heard(
    Events.ChannelDelete,
    ({ id }) => id === made.id,
    () => made.delete(),
  );
for (const made of [role, lower])
  await heard(
    Events.GuildRoleDelete,
    ({ id }) => id === made.id,
    () => made.delete(),
  );
assert.equal((await guild.channels.fetch()).size, 3);
assert.deepEqual(idsOf(guild.roles.cache), idsOf(await guild.roles.fetch(undefined, { cache: false })));
console.log('moderated');
