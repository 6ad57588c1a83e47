// A stock oceanic.js bot that moderates a server.
import assert from 'node:assert/strict';
import { Client } from 'oceanic.js';

const { API_URL, BOT_TOKEN, GUILD_ID, MEMBER_ID, PICTURE } = process.env;

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
const guild = await guilds.edit(GUILD_ID, { name: 'Moderated', description: 'by a bot' });
assert.equal(guild.name, 'Moderated');

const role = await guilds.createRole(GUILD_ID, { name: 'Crew', permissions: '0', hoist: true });
await guilds.editRole(GUILD_ID, role.id, { name: 'Sailors', mentionable: true });
await guilds.addMemberRole(GUILD_ID, MEMBER_ID, role.id, 'a reason');
const member = await guilds.editMember(GUILD_ID, MEMBER_ID, {
  nick: 'Captain',
  communicationDisabledUntil: new Date(Date.now() + 60_000).toISOString(),
});
assert.deepEqual([member.nick, member.roles], ['Captain', [role.id]]);
await guilds.editMember(GUILD_ID, MEMBER_ID, { communicationDisabledUntil: null });
await guilds.removeMemberRole(GUILD_ID, MEMBER_ID, role.id);
assert.equal((await guilds.getMembers(GUILD_ID, { limit: 100 })).length, 3);

const channel = await guilds.createChannel(GUILD_ID, 0, { name: 'bridge', topic: 'the sea' });
await channels.edit(channel.id, { topic: 'the sky', rateLimitPerUser: 5 });
await channels.editPermission(channel.id, role.id, { type: 0, allow: 1024n, deny: 2048n });
await guilds.editChannelPositions(GUILD_ID, [{ id: channel.id, position: 0 }]);
const edited = await channels.get(channel.id);
assert.equal(edited.topic, 'the sky');
assert.equal(edited.permissionOverwrites.get(role.id)?.deny, 2048n);
await channels.deletePermission(channel.id, role.id);

const messages = [];
for (const content of ['one', 'two', 'three']) messages.push(await channels.createMessage(channel.id, { content }));
await channels.pinMessage(channel.id, messages[0].id);
assert.deepEqual(
  (await channels.getPinnedMessages(channel.id)).map(({ id }) => id),
  [messages[0].id],
);
await channels.unpinMessage(channel.id, messages[0].id);
await channels.deleteMessages(
  channel.id,
  messages.slice(1).map(({ id }) => id),
);
assert.ok((await channels.getMessages(channel.id, { limit: 10 })).every(({ id }) => id !== messages[2].id));

const emoji = await guilds.createEmoji(GUILD_ID, { name: 'anchor', image: `data:image/png;base64,${PICTURE}` });
await channels.createReaction(channel.id, messages[0].id, `anchor:${emoji.id}`);
await guilds.deleteEmoji(GUILD_ID, emoji.id);

const invite = await channels.createInvite(channel.id, { maxAge: 60, maxUses: 1 });
assert.equal(
  (await guilds.getInvites(GUILD_ID)).some(({ code }) => code === invite.code),
  true,
);
await channels.deleteInvite(invite.code);

const direct = await client.rest.users.createDM(MEMBER_ID);
await channels.createMessage(direct.id, { content: 'ahoy' });

await guilds.createBan(GUILD_ID, MEMBER_ID, { deleteMessageSeconds: 60, reason: 'mutiny' });
assert.equal((await guilds.getBan(GUILD_ID, MEMBER_ID)).reason, 'mutiny');
await guilds.removeBan(GUILD_ID, MEMBER_ID);
const log = await guilds.getAuditLog(GUILD_ID, { limit: 5 });
assert.ok(log.entries.length > 0);
await channels.delete(channel.id);
await guilds.deleteRole(GUILD_ID, role.id);
console.log('moderated');
