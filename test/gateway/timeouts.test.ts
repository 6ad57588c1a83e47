import { afterAll, beforeAll, expect, it } from 'vitest';
import { installApplication } from '../../src/domain/installations/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import { updateMember } from '../../src/domain/members/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { ManualClock } from '../harness/clock.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { startServer, type TestServer } from '../harness/server.js';
import { callOf, createBot, createGuild, say } from '../harness/world.js';

let server: TestServer;
const clock = new ManualClock();
beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(() => server.stop());

it('G-26: a bot in a timeout gets only the events that it may still see, and all events again once the timeout ends', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  const bot = await createBot(app, { owner: guild.owner });
  const owner = callOf(app, guild.owner);
  const installed = { applicationId: bot.id, guildId: guild.id, scopes: ['bot' as const] };
  await installApplication(owner, { ...installed, permissions: Permission.ManageChannels });
  const client = await GatewayClient.open(server.origin);
  await client.ready(bot.token);
  const until = new Date(clock.now() + 5_000);
  await updateMember(owner, { guildId: guild.id, userId: bot.id, communicationDisabledUntil: until });
  expect((await client.event('GUILD_MEMBER_UPDATE')).d.communication_disabled_until).not.toBeNull();
  await createInvite(owner, guild.channel.id);
  await say(app, guild, guild.owner, 'still seen');
  expect((await client.next(({ t }) => t !== null)).d.content).toBe('still seen');
  clock.advance(5_000);
  const { code } = await createInvite(owner, guild.channel.id);
  expect((await client.next(({ t }) => t !== null)).d).toMatchObject({ code });
  await client.close();
});
