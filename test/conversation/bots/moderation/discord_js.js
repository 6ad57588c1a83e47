// A stock discord.js bot that moderates a server and compares its caches with REST responses.
import assert from 'node:assert/strict';
import {
  AuditLogEvent,
  ChannelType,
  Client,
  Events,
  GatewayIntentBits,
  Partials,
  PermissionFlagsBits,
} from 'discord.js';

const { API_URL, BOT_TOKEN, GUILD_ID, MEMBER_ID, PICTURE } = process.env;
const picture = Buffer.from(PICTURE, 'base64');

const client = new Client({
  intents: Object.values(GatewayIntentBits).filter((bit) => typeof bit === 'number'),
  partials: [Partials.Channel],
  rest: { api: API_URL, retries: 0 },
});
const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
await client.login(BOT_TOKEN);
await ready;
console.log('online');

const guild = await client.guilds.fetch(GUILD_ID);
const next = (event, isWanted = () => true) =>
  new Promise((resolve) => {
    const listen = (...values) => {
      if (!isWanted(...values)) return;
      client.off(event, listen);
      resolve(values);
    };
    client.on(event, listen);
  });

// The server.
await guild.edit({ name: 'Moderated', description: 'by a bot', reason: 'a reason: ä' });
assert.equal((await guild.fetch()).name, 'Moderated');

// Roles.
const role = await guild.roles.create({
  name: 'Crew',
  colors: { primaryColor: 0x112233 },
  hoist: true,
  mentionable: true,
  permissions: [],
});
const lower = await guild.roles.create({ name: 'Guests', permissions: [PermissionFlagsBits.ViewChannel] });
await role.edit({ name: 'Sailors', permissions: [PermissionFlagsBits.SendMessages] });
await lower.setPosition(role.position);
const roles = await guild.roles.fetch(undefined, { cache: false });
assert.deepEqual(
  [...roles.values()].map(({ id, name, position }) => [id, name, position]).sort(),
  [...guild.roles.cache.values()].map(({ id, name, rawPosition }) => [id, name, rawPosition]).sort(),
);

// A member.
const member = await guild.members.fetch(MEMBER_ID);
await member.roles.add(role);
await member.setNickname('Captain');
await member.timeout(60_000, 'calm down');
assert.ok(member.isCommunicationDisabled());
await member.timeout(null);
const again = await guild.members.fetch({ user: MEMBER_ID, force: true });
assert.deepEqual(
  [again.nickname, again.roles.cache.has(role.id), again.isCommunicationDisabled()],
  ['Captain', true, false],
);
assert.equal((await guild.members.search({ query: 'capt' })).size, 1);
await member.roles.remove(role);
assert.equal(member.roles.cache.has(role.id), false);

// Setting all roles of a member, including `@everyone`.
const rolesHeld = ({ roles }) => [...roles.cache.keys()].sort();
const rolesStored = async () => rolesHeld(await guild.members.fetch({ user: MEMBER_ID, force: true }));
await member.roles.add([role, lower]);
assert.deepEqual(await rolesStored(), [guild.id, role.id, lower.id].sort());
await member.roles.set(member.roles.cache);
assert.deepEqual(await rolesStored(), [guild.id, role.id, lower.id].sort());
await member.roles.remove([role, lower]);
assert.deepEqual(await rolesStored(), [guild.id]);
const me = await guild.members.fetchMe({ force: true });
await me.roles.set(me.roles.cache);
assert.ok(me.roles.botRole);

// Channels and overwrites.
const category = await guild.channels.create({ name: 'Rooms', type: ChannelType.GuildCategory });
const channel = await guild.channels.create({
  name: 'bridge',
  parent: category,
  topic: 'the sea',
  permissionOverwrites: [{ id: guild.id, deny: [PermissionFlagsBits.SendMessages] }],
});
await channel.edit({ topic: 'the sky', nsfw: true, rateLimitPerUser: 5 });
const allowed = next(Events.ChannelUpdate, (_old, { permissionOverwrites }) =>
  permissionOverwrites.cache.has(MEMBER_ID),
);
await channel.permissionOverwrites.edit(member, { SendMessages: true });
await allowed;
assert.ok(channel.permissionsFor(member).has(PermissionFlagsBits.SendMessages));
await channel.permissionOverwrites.delete(member);
const voice = await guild.channels.create({
  name: 'Deck',
  type: ChannelType.GuildVoice,
  userLimit: 5,
  bitrate: 32_000,
});
const moved = next(Events.ChannelUpdate, (_old, { id }) => id === voice.id);
await voice.setParent(category, { lockPermissions: true });
await moved;
await guild.channels.setPositions([{ channel: channel.id, position: 1 }]);
const channels = await guild.channels.fetch();
assert.deepEqual([...channels.keys()].sort(), [...guild.channels.cache.keys()].sort());
assert.equal(channels.get(channel.id).topic, 'the sky');

// Messages, pins and reactions.
const messages = [];
for (const text of ['one', 'two', 'three']) messages.push(await channel.send(text));
const [one, two, three] = messages;
await one.pin();
assert.ok(one.pinned);
assert.deepEqual(
  (await channel.messages.fetchPins()).items.map(({ message }) => message.id),
  [one.id],
);
await one.unpin();
const emoji = await guild.emojis.create({ attachment: picture, name: 'anchor' });
await emoji.edit({ name: 'buoy' });
assert.equal((await guild.emojis.fetch()).get(emoji.id).name, 'buoy');
await two.react(emoji);
await two.react('👍');
assert.deepEqual([...two.reactions.cache.keys()].sort(), ['👍', emoji.id].sort());
await two.reactions.cache.get('👍').remove();
await two.reactions.removeAll();
await emoji.delete();
const swept = next(Events.MessageBulkDelete);
await channel.bulkDelete([two.id, three.id]);
assert.deepEqual([...(await swept)[0].keys()].sort(), [two.id, three.id].sort());

// Invites.
const invite = await channel.createInvite({ maxAge: 3_600, maxUses: 2, temporary: true, unique: true });
assert.deepEqual([invite.maxAge, invite.maxUses, invite.temporary], [3_600, 2, true]);
assert.ok((await guild.invites.fetch()).has(invite.code));
assert.equal((await client.fetchInvite(invite.code)).guild.id, guild.id);
await invite.delete();

// A direct message.
const direct = await member.createDM();
const said = await direct.send('ahoy');
await said.edit('ahoy!');
assert.equal((await direct.messages.fetch(said.id)).content, 'ahoy!');
await said.delete();

// Bans.
await guild.bans.create(MEMBER_ID, { deleteMessageSeconds: 60, reason: 'mutiny' });
assert.equal((await guild.bans.fetch(MEMBER_ID)).reason, 'mutiny');
assert.equal(guild.members.cache.has(MEMBER_ID), false);
await guild.bans.remove(MEMBER_ID);
const log = await guild.fetchAuditLogs({ type: AuditLogEvent.MemberBanAdd, limit: 5 });
assert.deepEqual([log.entries.first().targetId, log.entries.first().reason], [MEMBER_ID, 'mutiny']);

// Unsupported features return empty lists.
assert.equal((await guild.scheduledEvents.fetch()).size, 0);
assert.equal((await guild.autoModerationRules.fetch()).size, 0);
assert.equal((await guild.stickers.fetch()).size, 0);
assert.equal((await guild.soundboardSounds.fetch()).size, 0);

const gone = next(Events.ChannelDelete, ({ id }) => id === channel.id);
await channel.delete();
await gone;
await Promise.all([voice.delete(), category.delete(), role.delete(), lower.delete()]);
assert.equal((await guild.channels.fetch()).has(channel.id), false);
console.log('moderated');
