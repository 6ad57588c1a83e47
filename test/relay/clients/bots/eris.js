// A stock eris bot that moderates a server with all that self-hosted servers support. It compares its caches with REST
// responses. Eris speaks https only; this agent connects without TLS.
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { Client } from 'eris';

const { API_URL, BOT_TOKEN, GUILD_ID, CHANNEL_ID, CREW_CHANNEL_ID, VOICE_CHANNEL_ID } = process.env;
const { KEEPER_ID, KICKED_ID, BANNED_ID } = process.env;
const { hostname, port } = new URL(API_URL);
const agent = new Agent();
agent.createConnection = () => connect(Number(port), hostname);

const client = new Client(`Bot ${BOT_TOKEN}`, { intents: ['all'], restMode: true, rest: { domain: hostname, agent } });
client.on('error', (error) => console.error(error));
const ready = new Promise((resolve) => client.once('ready', resolve));
await client.connect();
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
const idsOf = (things) => [...things].map(({ id }) => id).sort();

const guild = client.guilds.get(GUILD_ID);
assert.deepEqual([guild.unavailable, guild.name, guild.ownerID, guild.large], [false, 'Attic', KEEPER_ID, true]);
assert.deepEqual(idsOf(guild.channels.values()), idsOf(await client.getRESTGuildChannels(GUILD_ID)));
assert.deepEqual(idsOf(guild.roles.values()), idsOf(await client.getRESTGuildRoles(GUILD_ID)));
assert.ok(guild.members.has(client.user.id));
assert.equal(guild.memberCount, 1_104);
assert.equal((await guild.fetchMembers()).length, 1_104);
assert.equal(guild.members.size, 1_104);
const found = await guild.fetchMembers({ query: 'crowd7', limit: 5 });
assert.ok(found.length === 5 && found.every(({ username }) => username.startsWith('crowd7')));

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
await client.sendChannelTyping(CHANNEL_ID);
const [[reacted, , reactor]] = await Promise.all([
  next('messageReactionAdd'),
  client.createMessage(CHANNEL_ID, { content: 'a bot', messageReference: { messageID: question.id } }),
]);
assert.equal(reactor.id, KICKED_ID);
assert.deepEqual(idsOf(await client.getMessageReaction(CHANNEL_ID, reacted.id, '👍')), [KICKED_ID]);

// The server.
await heard(
  'guildUpdate',
  ({ name }) => name === 'Moderated',
  () => client.editGuild(GUILD_ID, { name: 'Moderated', description: 'by a bot' }, 'a reason: ä'),
);
assert.deepEqual([guild.name, guild.description], ['Moderated', 'by a bot']);

// Roles.
const role = await client.createRole(GUILD_ID, { name: 'Crew', permissions: 0, hoist: true });
const lower = await client.createRole(GUILD_ID, { name: 'Guests', permissions: 1_024 });
await client.editRole(GUILD_ID, role.id, { name: 'Sailors' });
await client.editRolePosition(GUILD_ID, lower.id, guild.roles.get(role.id).position);

// Members.
const edited = await client.editGuildMember(GUILD_ID, BANNED_ID, {
  nick: 'Captain',
  communicationDisabledUntil: new Date(Date.now() + 60_000),
});
assert.equal(edited.nick, 'Captain');
await client.editGuildMember(GUILD_ID, BANNED_ID, { communicationDisabledUntil: null });
await heard(
  'guildMemberUpdate',
  (_guild, { roles }) => roles.includes(role.id),
  () => client.addGuildMemberRole(GUILD_ID, BANNED_ID, role.id, 'a reason'),
);
assert.deepEqual((await client.getRESTGuildMember(GUILD_ID, BANNED_ID)).roles, [role.id]);
assert.deepEqual(idsOf(await client.searchGuildMembers(GUILD_ID, 'capt', 5)), [BANNED_ID]);
await client.removeGuildMemberRole(GUILD_ID, BANNED_ID, role.id);
await client.editGuildMember(GUILD_ID, '@me', { nick: 'Keeper of lamps' });

// Channels.
const channel = await heard(
  'channelCreate',
  ({ name }) => name === 'bridge',
  () => client.createChannel(GUILD_ID, 'bridge', 0, { topic: 'the sea' }),
);
await heard(
  'channelUpdate',
  ({ topic }) => topic === 'the sky',
  () => client.editChannel(channel.id, { topic: 'the sky', rateLimitPerUser: 5 }),
);
await client.editChannelPositions(GUILD_ID, [{ id: channel.id, position: 0 }]);
assert.deepEqual(idsOf(guild.channels.values()), idsOf(await client.getRESTGuildChannels(GUILD_ID)));

// Voice.
assert.ok(guild.channels.get(VOICE_CHANNEL_ID).voiceMembers.has(KICKED_ID));
await heard(
  'voiceStateUpdate',
  ({ id }) => id === KICKED_ID,
  () => client.editGuildMember(GUILD_ID, KICKED_ID, { mute: true }),
);
await heard(
  'voiceChannelLeave',
  ({ id }) => id === KICKED_ID,
  () => client.editGuildMember(GUILD_ID, KICKED_ID, { channelID: null }),
);

// Messages, pins and reactions.
const messages = [];
for (const content of ['one', 'two', 'three']) {
  messages.push(
    await heard(
      'messageCreate',
      (message) => message.content === content,
      () => client.createMessage(channel.id, content),
    ),
  );
}
const [one, two, three] = messages;
await heard(
  'messageUpdate',
  ({ content }) => content === 'first',
  () => client.editMessage(channel.id, one.id, 'first'),
);
assert.deepEqual(
  (await client.getMessages(channel.id, { limit: 2 })).map(({ content }) => content),
  ['three', 'two'],
);
await heard(
  'channelPinUpdate',
  ({ id }) => id === channel.id,
  () => client.pinMessage(channel.id, one.id),
);
assert.deepEqual(idsOf(await client.getPins(channel.id)), [one.id]);
await client.unpinMessage(channel.id, one.id);
await client.addMessageReaction(channel.id, two.id, '👍');
await heard(
  'messageReactionRemove',
  ({ id }) => id === two.id,
  () => client.removeMessageReaction(channel.id, two.id, '👍'),
);
await client.addMessageReaction(channel.id, two.id, '👋');
await heard(
  'messageReactionRemoveAll',
  ({ id }) => id === two.id,
  () => client.removeMessageReactions(channel.id, two.id),
);
await heard(
  'messageDelete',
  ({ id }) => id === one.id,
  () => client.deleteMessage(channel.id, one.id),
);
await heard(
  'messageDeleteBulk',
  (swept) => idsOf(swept).join() === [two.id, three.id].sort().join(),
  () => client.deleteMessages(channel.id, [two.id, three.id]),
);

// Kicks, bans and their log.
await heard(
  'guildMemberRemove',
  (_guild, { id }) => id === KICKED_ID,
  () => client.kickGuildMember(GUILD_ID, KICKED_ID, 'a long day: ä'),
);
assert.equal(guild.members.has(KICKED_ID), false);
await heard(
  'guildBanAdd',
  (_guild, { id }) => id === BANNED_ID,
  () => client.banGuildMember(GUILD_ID, BANNED_ID, { deleteMessageSeconds: 60, reason: 'mutiny' }),
);
assert.equal((await client.getGuildBan(GUILD_ID, BANNED_ID)).reason, 'mutiny');
await heard(
  'guildBanRemove',
  (_guild, { id }) => id === BANNED_ID,
  () => client.unbanGuildMember(GUILD_ID, BANNED_ID, 'forgiven'),
);
const logOf = async (actionType) => {
  const [entry] = (await client.getGuildAuditLog(GUILD_ID, { actionType, limit: 5 })).entries;
  return [entry.targetID, entry.user.id, entry.reason];
};
assert.deepEqual(await logOf(20), [KICKED_ID, client.user.id, 'a long day: ä']);
assert.deepEqual(await logOf(22), [BANNED_ID, client.user.id, 'mutiny']);
assert.deepEqual(await logOf(23), [BANNED_ID, client.user.id, 'forgiven']);

await heard(
  'channelDelete',
  ({ id }) => id === channel.id,
  () => client.deleteChannel(channel.id),
);
for (const { id } of [role, lower]) {
  await heard(
    'guildRoleDelete',
    (_guild, gone) => gone.id === id,
    () => client.deleteRole(GUILD_ID, id),
  );
}
assert.deepEqual(idsOf(guild.roles.values()), idsOf(await client.getRESTGuildRoles(GUILD_ID)));
console.log('moderated');
