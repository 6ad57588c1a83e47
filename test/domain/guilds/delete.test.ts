import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChannel } from '../../../src/domain/channels/index.js';
import { createEmoji } from '../../../src/domain/emojis/index.js';
import { deleteGuild, joinGuild, updateGuild } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { listOwnGuilds } from '../../../src/domain/users/index.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { PIXEL } from '../../harness/images.js';
import { eventually } from '../../harness/jobs.js';
import { outcome } from '../../harness/outcome.js';
import { addCrowd, createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, createBotInGuild, say, type TestBot, type TestGuild } from '../../harness/world.js';

let server: TestServer;
let guild: TestGuild;
let bot: TestBot;
beforeAll(async () => {
  server = await startServer({ jobs: true });
});
beforeEach(async () => {
  ({ guild, bot } = await createBotInGuild(server.app));
});
afterAll(() => server.stop());

const owner = () => callOf(server.app, guild.owner);
const rows = () => server.app.db.reader;
const removed = () =>
  eventually(async () => expect(await rows().guild.count({ where: { id: guild.id } })).toBe(0), { interval: 20 });

async function left(): Promise<object> {
  const where = { guildId: guild.id };
  const { channel, member, role, installation, invite, emoji } = rows();
  return {
    guild: await rows().guild.count({ where: { id: guild.id } }),
    channels: await channel.count({ where: { OR: [where, { id: guild.channel.id }] } }),
    messages: await rows().message.count({ where: { channelId: guild.channel.id } }),
    members: await member.count({ where }),
    roles: await role.count({ where }),
    installations: await installation.count({ where }),
    invites: await invite.count({ where }),
    emojis: await emoji.count({ where }),
    keptTimeouts: await rows().keptTimeout.count({ where }),
  };
}

const NOTHING = {
  guild: 0,
  channels: 0,
  messages: 0,
  members: 0,
  roles: 0,
  installations: 0,
  invites: 0,
  emojis: 0,
  keptTimeouts: 0,
};

describe('deleting a guild', () => {
  test('is limited to its owner', async () => {
    const ada = await createPerson(server.app);
    expect(await outcome(deleteGuild(callOf(server.app, ada), guild.id))).toBe('UNKNOWN_GUILD');
    await addMember(server.app, guild.id, ada);
    expect(await outcome(deleteGuild(callOf(server.app, ada), guild.id))).toBe('FORBIDDEN');
    expect(await outcome(deleteGuild(callOf(server.app, bot.user), guild.id))).toBe('FORBIDDEN');
    expect(await outcome(deleteGuild(owner(), 1n))).toBe('UNKNOWN_GUILD');
  });

  test('hides it at once from all users, and removes all its contents', async () => {
    await addCrowd(server.app, guild.id, 450);
    await say(server.app, guild, guild.owner, 'last words');
    const { code } = await createInvite(owner(), guild.channel.id);
    const { emoji } = await createEmoji(owner(), { guildId: guild.id, name: 'wave', image: PIXEL });
    const { iconHash } = await updateGuild(owner(), { guildId: guild.id, icon: PIXEL });
    const until = new Date(server.app.clock.now() + 86_400_000);
    await server.app.db.writer.keptTimeout.create({ data: { guildId: guild.id, userId: server.app.nextId(), until } });
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.token, { intents: 1 });
    await deleteGuild(owner(), guild.id);
    expect((await client.event('GUILD_DELETE')).d).toEqual({ id: String(guild.id) });
    const attempts = [
      deleteGuild(owner(), guild.id),
      updateGuild(owner(), { guildId: guild.id, name: 'Again' }),
      createChannel(owner(), guild.id, { name: 'late' }),
    ];
    expect(await Promise.all(attempts.map(outcome))).toEqual(Array(3).fill('UNKNOWN_GUILD'));
    expect(await outcome(say(server.app, guild, guild.owner, 'more'))).toBe('UNKNOWN_CHANNEL');
    const newcomer = await createPerson(server.app);
    expect(await outcome(joinGuild(callOf(server.app, newcomer), code))).toBe('UNKNOWN_INVITE');
    expect(await listOwnGuilds(owner(), { limit: 100, withCounts: false })).toEqual([]);
    for (const path of [`icons/${guild.id}/${iconHash}.png`, `emojis/${emoji.id}.png`]) {
      expect((await fetch(`${server.origin}/cdn/${path}`)).status).toBe(404);
    }
    await removed();
    expect(await left()).toEqual(NOTHING);
    expect(await client.settled()).toEqual([]);
    await client.close();
    const entries = await rows().auditEntry.findMany({ where: { guildId: guild.id, action: 'GUILD_DELETE' } });
    expect(entries).toMatchObject([{ actorId: guild.owner.id, changes: { name: 'Guild' } }]);
  });

  test('has one outcome during another deletion, joins and new channels', async () => {
    const { code } = await createInvite(owner(), guild.channel.id);
    const people = await Promise.all(Array.from({ length: 3 }, () => createPerson(server.app)));
    const [first, second, ...others] = await Promise.all([
      outcome(deleteGuild(owner(), guild.id)),
      outcome(deleteGuild(owner(), guild.id)),
      ...people.map((user) => outcome(joinGuild(callOf(server.app, user), code))),
      ...people.map((_, n) => outcome(createChannel(owner(), guild.id, { name: `late ${n}` }))),
    ]);
    expect([first, second].sort()).toEqual(['UNKNOWN_GUILD', 'ok']);
    for (const ended of others) expect(['ok', 'UNKNOWN_INVITE', 'UNKNOWN_GUILD']).toContain(ended);
    await removed();
    expect(await left()).toEqual(NOTHING);
  });
});
