// A stock oceanic.js bot that moderates a server with all that self-hosted servers support. It compares its caches with
// REST responses.
import assert from 'node:assert/strict';
import { Client } from 'oceanic.js';

const { API_URL, BOT_TOKEN, GUILD_ID, CHANNEL_ID, CREW_CHANNEL_ID, VOICE_CHANNEL_ID } = process.env;
const { KEEPER_ID, KICKED_ID, BANNED_ID } = process.env;

const client = new Client({
  auth: `Bot ${BOT_TOKEN}`,
  gateway: { intents: ['ALL'] },
  rest: { baseURL: `${API_URL}/v10` },
});
client.on('error', (error) => console.error(error));
const ready = new Promise((resolve) => client.once('ready', resolve));
await client.connect();
await ready;
console.log('online');
const { guilds, channels } = client.rest;

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
const idsOf = (things) => [...things].map(({ id }) => id).sort();

const guild = client.guilds.get(GUILD_ID);
assert.deepEqual([guild.unavailable, guild.name, guild.ownerID, guild.large], [false, 'Attic', KEEPER_ID, true]);
assert.deepEqual(idsOf(guild.channels.values()), idsOf(await guilds.getChannels(GUILD_ID)));
assert.deepEqual(idsOf(guild.roles.values()), idsOf(await guilds.getRoles(GUILD_ID)));
assert.equal(guild.clientMember.id, client.user.id);
assert.equal(guild.memberCount, 1_104);
assert.equal((await guild.fetchMembers()).length, 1_104);
assert.equal(guild.members.size, 1_104);
const found = await guild.fetchMembers({ query: 'crowd7', limit: 5 });
assert.ok(found.length === 5 && found.every(({ user }) => user.username.startsWith('crowd7')));

// Permissions from the caches.
const VIEW = 1n << 10n;
const compared = VIEW | (1n << 11n) | (1n << 6n) | (1n << 13n);
const bitsIn = (channelId) => (userId) => {
  const { allow } = guild.channels.get(channelId).permissionsOf(userId);
  return [userId, String(allow & VIEW ? allow & compared : 0n)];
};
const users = [KEEPER_ID, KICKED_ID, BANNED_ID, client.user.id];
const permissions = [CHANNEL_ID, CREW_CHANNEL_ID].map((id) => [id, Object.fromEntries(users.map(bitsIn(id)))]);
console.log(`permissions ${JSON.stringify(Object.fromEntries(permissions))}`);

const heardQuestion = next('messageCreate', ({ author }) => author.id === KEEPER_ID);
console.log('listening');
const [question] = await heardQuestion;
assert.deepEqual([question.content, question.member.id, question.guildID], ['who is there?', KEEPER_ID, GUILD_ID]);
await channels.sendTyping(CHANNEL_ID);
const [[reacted, reactor]] = await Promise.all([
  next('messageReactionAdd'),
  channels.createMessage(CHANNEL_ID, { content: 'a bot', messageReference: { messageID: question.id } }),
]);
assert.equal(reactor.id, KICKED_ID);
assert.deepEqual(idsOf(await channels.getReactions(CHANNEL_ID, reacted.id, '👍')), [KICKED_ID]);

// The server.
await heard(
  'guildUpdate',
  ({ name }) => name === 'Moderated',
  () => guilds.edit(GUILD_ID, { name: 'Moderated', description: 'by a bot', reason: 'a reason: ä' }),
);
assert.deepEqual([guild.name, guild.description], ['Moderated', 'by a bot']);

// Roles.
const role = await guilds.createRole(GUILD_ID, { name: 'Crew', permissions: '0', hoist: true });
const lower = await guilds.createRole(GUILD_ID, { name: 'Guests', permissions: '1024' });
await guilds.editRole(GUILD_ID, role.id, { name: 'Sailors', mentionable: true });
await guilds.editRolePositions(GUILD_ID, [{ id: lower.id, position: guild.roles.get(role.id).position }]);

// Members.
const edited = await guilds.editMember(GUILD_ID, BANNED_ID, {
  nick: 'Captain',
  communicationDisabledUntil: new Date(Date.now() + 60_000).toISOString(),
});
assert.deepEqual([edited.nick, edited.communicationDisabledUntil > new Date()], ['Captain', true]);
await guilds.editMember(GUILD_ID, BANNED_ID, { communicationDisabledUntil: null });
await heard(
  'guildMemberUpdate',
  ({ roles }) => roles.includes(role.id),
  () => guilds.addMemberRole(GUILD_ID, BANNED_ID, role.id, 'a reason'),
);
assert.deepEqual((await guilds.getMember(GUILD_ID, BANNED_ID)).roles, [role.id]);
assert.deepEqual(idsOf(await guilds.searchMembers(GUILD_ID, { query: 'capt', limit: 5 })), [BANNED_ID]);
await guilds.removeMemberRole(GUILD_ID, BANNED_ID, role.id);
await guilds.editCurrentMember(GUILD_ID, { nick: 'Keeper of lamps' });
assert.equal((await guilds.getMembers(GUILD_ID, { limit: 1_000 })).length, 1_000);

// Channels.
const channel = await heard(
  'channelCreate',
  ({ name }) => name === 'bridge',
  () => guilds.createChannel(GUILD_ID, 0, { name: 'bridge', topic: 'the sea' }),
);
await heard(
  'channelUpdate',
  ({ topic }) => topic === 'the sky',
  () => channels.edit(channel.id, { topic: 'the sky', rateLimitPerUser: 5 }),
);
await guilds.editChannelPositions(GUILD_ID, [{ id: channel.id, position: 0 }]);
assert.equal((await channels.get(channel.id)).topic, 'the sky');
assert.deepEqual(idsOf(guild.channels.values()), idsOf(await guilds.getChannels(GUILD_ID)));

// Voice.
assert.ok(guild.channels.get(VOICE_CHANNEL_ID).voiceMembers.has(KICKED_ID));
await heard(
  'voiceStateUpdate',
  ({ id }) => id === KICKED_ID,
  () => guilds.editMember(GUILD_ID, KICKED_ID, { mute: true }),
);
await heard(
  'voiceChannelLeave',
  ({ id }) => id === KICKED_ID,
  () => guilds.editMember(GUILD_ID, KICKED_ID, { channelID: null }),
);

// Messages, pins and reactions.
const messages = [];
for (const content of ['one', 'two', 'three']) {
  messages.push(
    await heard(
      'messageCreate',
      (message) => message.content === content,
      () => channels.createMessage(channel.id, { content }),
    ),
  );
}
const [one, two, three] = messages;
await heard(
  'messageUpdate',
  ({ content }) => content === 'first',
  () => channels.editMessage(channel.id, one.id, { content: 'first' }),
);
assert.deepEqual(
  (await channels.getMessages(channel.id, { limit: 2 })).map(({ content }) => content),
  ['three', 'two'],
);
await heard(
  'channelPinsUpdate',
  ({ id }) => id === channel.id,
  () => channels.pinMessage(channel.id, one.id),
);
assert.deepEqual(idsOf(await channels.getPinnedMessages(channel.id)), [one.id]);
assert.deepEqual(
  (await channels.getPins(channel.id)).map(({ message }) => message.id),
  [one.id],
);
await channels.unpinMessage(channel.id, one.id);
await channels.createReaction(channel.id, two.id, '👍');
await heard(
  'messageReactionRemove',
  ({ id }) => id === two.id,
  () => channels.deleteReaction(channel.id, two.id, '👍'),
);
await channels.createReaction(channel.id, two.id, '👋');
await heard(
  'messageReactionRemoveEmoji',
  ({ id }) => id === two.id,
  () => channels.deleteReactions(channel.id, two.id, '👋'),
);
await heard(
  'messageDelete',
  ({ id }) => id === one.id,
  () => channels.deleteMessage(channel.id, one.id),
);
await heard(
  'messageDeleteBulk',
  (swept) => idsOf(swept).join() === [two.id, three.id].sort().join(),
  () => channels.deleteMessages(channel.id, [two.id, three.id]),
);

// Kicks, bans and their log.
await heard(
  'guildMemberRemove',
  ({ id }) => id === KICKED_ID,
  () => guilds.removeMember(GUILD_ID, KICKED_ID, 'a long day: ä'),
);
assert.equal(guild.members.has(KICKED_ID), false);
await heard(
  'guildBanAdd',
  (_guild, { id }) => id === BANNED_ID,
  () => guilds.createBan(GUILD_ID, BANNED_ID, { deleteMessageSeconds: 60, reason: 'mutiny' }),
);
assert.equal((await guilds.getBan(GUILD_ID, BANNED_ID)).reason, 'mutiny');
assert.deepEqual(idsOf((await guilds.getBans(GUILD_ID)).map(({ user }) => user)), [BANNED_ID]);
await heard(
  'guildBanRemove',
  (_guild, { id }) => id === BANNED_ID,
  () => guilds.removeBan(GUILD_ID, BANNED_ID, 'forgiven'),
);
const logOf = async (actionType) => {
  const [entry] = (await guilds.getAuditLog(GUILD_ID, { actionType, limit: 5 })).entries;
  return [entry.targetID, entry.userID, entry.reason];
};
assert.deepEqual(await logOf(20), [KICKED_ID, client.user.id, 'a long day: ä']);
assert.deepEqual(await logOf(22), [BANNED_ID, client.user.id, 'mutiny']);
assert.deepEqual(await logOf(23), [BANNED_ID, client.user.id, 'forgiven']);

await heard(
  'channelDelete',
  ({ id }) => id === channel.id,
  () => channels.delete(channel.id),
);
for (const { id } of [role, lower]) {
  await heard(
    'guildRoleDelete',
    (gone) => gone.id === id,
    () => guilds.deleteRole(GUILD_ID, id),
  );
}
assert.deepEqual(idsOf(guild.roles.values()), idsOf(await guilds.getRoles(GUILD_ID)));
console.log('moderated');
