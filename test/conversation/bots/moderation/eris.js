// A stock eris bot that moderates a server. Eris speaks https only; this agent connects without TLS.
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { Client } from 'eris';

const { API_URL, BOT_TOKEN, GUILD_ID, MEMBER_ID, PICTURE } = process.env;
const { hostname, port } = new URL(API_URL);
const agent = new Agent();
agent.createConnection = () => connect(Number(port), hostname);

const client = new Client(`Bot ${BOT_TOKEN}`, { intents: ['all'], restMode: true, rest: { domain: hostname, agent } });
client.on('error', (error) => console.error(error));
const ready = new Promise((resolve) => client.once('ready', resolve));
await client.connect();
await ready;
console.log('online');

const guild = await client.editGuild(GUILD_ID, { name: 'Moderated', description: 'by a bot' });
assert.equal(guild.name, 'Moderated');

const role = await client.createRole(GUILD_ID, { name: 'Crew', permissions: 0, hoist: true });
await client.editRole(GUILD_ID, role.id, { name: 'Sailors' });
await client.addGuildMemberRole(GUILD_ID, MEMBER_ID, role.id, 'a reason');
const member = await client.editGuildMember(GUILD_ID, MEMBER_ID, {
  nick: 'Captain',
  communicationDisabledUntil: new Date(Date.now() + 60_000),
});
assert.deepEqual([member.nick, member.roles], ['Captain', [role.id]]);
await client.editGuildMember(GUILD_ID, MEMBER_ID, { communicationDisabledUntil: null });
await client.removeGuildMemberRole(GUILD_ID, MEMBER_ID, role.id);

const channel = await client.createChannel(GUILD_ID, 'bridge', 0, { topic: 'the sea' });
await client.editChannel(channel.id, { topic: 'the sky', rateLimitPerUser: 5 });
await client.editChannelPermission(channel.id, role.id, 1024, 2048, 0);
await client.editChannelPositions(GUILD_ID, [{ id: channel.id, position: 0 }]);
await client.deleteChannelPermission(channel.id, role.id);
const found = (await client.getRESTGuildChannels(GUILD_ID)).find(({ id }) => id === channel.id);
assert.equal(found.topic, 'the sky');

const messages = [];
for (const content of ['one', 'two', 'three']) messages.push(await client.createMessage(channel.id, content));
await client.pinMessage(channel.id, messages[0].id);
assert.deepEqual(
  (await client.getPins(channel.id)).map(({ id }) => id),
  [messages[0].id],
);
await client.unpinMessage(channel.id, messages[0].id);
await client.deleteMessages(
  channel.id,
  messages.slice(1).map(({ id }) => id),
);

const emoji = await client.createGuildEmoji(GUILD_ID, { name: 'anchor', image: `data:image/png;base64,${PICTURE}` });
await client.addMessageReaction(channel.id, messages[0].id, `anchor:${emoji.id}`);
await client.deleteGuildEmoji(GUILD_ID, emoji.id);

const invite = await client.createChannelInvite(channel.id, { maxAge: 60, maxUses: 1 });
assert.ok((await client.getGuildInvites(GUILD_ID)).some(({ code }) => code === invite.code));
await client.deleteInvite(invite.code);

const direct = await client.getDMChannel(MEMBER_ID);
await client.createMessage(direct.id, 'ahoy');

await client.banGuildMember(GUILD_ID, MEMBER_ID, { deleteMessageSeconds: 60, reason: 'mutiny' });
assert.equal((await client.getGuildBan(GUILD_ID, MEMBER_ID)).reason, 'mutiny');
await client.unbanGuildMember(GUILD_ID, MEMBER_ID);
assert.ok((await client.getGuildAuditLog(GUILD_ID, { limit: 5 })).entries.length > 0);
await client.deleteChannel(channel.id);
await client.deleteRole(GUILD_ID, role.id);
console.log('moderated');
