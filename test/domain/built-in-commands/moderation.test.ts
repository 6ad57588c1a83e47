import { ChannelType } from 'discord-api-types/v10';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import { createChannel } from '../../../src/domain/channels/index.js';
import { joinGuild } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { DEFAULT_EVERYONE_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import type { User } from '../../../src/infra/database/index.js';
import { ManualClock } from '../../harness/clock.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, permitEveryone } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, createGuild, type TestGuild, toSend } from '../../harness/world.js';
import { runBuiltIn } from './scene.js';

const DAY_MS = 86_400_000;

const clock = new ManualClock();
let server: TestServer;
let guild: TestGuild;
let ada: User;
let bob: User;
let owner: CallContext;
let asAda: CallContext;
beforeAll(async () => {
  server = await startServer({ clock });
});
beforeEach(async () => {
  guild = await createGuild(server.app);
  [ada, bob] = await Promise.all([createPerson(server.app), createPerson(server.app)]);
  await addMember(server.app, guild.id, ada);
  await addMember(server.app, guild.id, bob);
  owner = callOf(server.app, guild.owner);
  asAda = callOf(server.app, ada);
});
afterAll(() => server.stop());

async function run(name: string, options: Record<string, unknown>, as = owner): Promise<string> {
  const interaction = await runBuiltIn(as, guild.channel.id, name, options);
  const where = { id: interaction.originalMessageId ?? 0n };
  const message = await server.app.db.reader.message.findUniqueOrThrow({ where });
  expect(message.visibleToId).toBe(as.actor.kind === 'person' ? as.actor.user.id : null);
  return message.content;
}

const isMember = async ({ id }: User) =>
  (await server.app.db.reader.member.count({ where: { guildId: guild.id, userId: id } })) === 1;

const say = (content: string, as = owner) =>
  sendMessage(as, { channelId: guild.channel.id, body: toSend({ content }) });

const texts = async () =>
  (
    await server.app.db.reader.message.findMany({
      where: { channelId: guild.channel.id, visibleToId: null },
      orderBy: { id: 'asc' },
    })
  ).map(({ content }) => content);

const lastAudit = () =>
  server.app.db.reader.auditEntry.findFirst({ where: { guildId: guild.id }, orderBy: { id: 'desc' } });

describe('the moderation commands', () => {
  test.each([
    ['ban', Permission.BanMembers],
    ['unban', Permission.BanMembers],
    ['kick', Permission.KickMembers],
  ])('require the permission of the caller for %s', async (name) => {
    expect(await outcome(run(name, { user: String(bob.id) }, asAda))).toBe('MISSING_PERMISSIONS');
  });

  test('require the permissions of the caller for clear and slowmode', async () => {
    expect(await outcome(run('clear', { count: 1 }, asAda))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(run('slowmode', { seconds: 5 }, asAda))).toBe('MISSING_PERMISSIONS');
  });

  test('affect only members who rank below the caller', async () => {
    await permitEveryone(server.app, guild.id, DEFAULT_EVERYONE_PERMISSIONS | Permission.KickMembers);
    expect(await outcome(run('kick', { user: String(guild.owner.id) }, asAda))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(run('kick', { user: String(bob.id) }, asAda))).toBe('MISSING_PERMISSIONS');
    expect(await isMember(bob)).toBe(true);
  });

  test('ban a user, with the reason in the audit log, until unban', async () => {
    expect(await run('ban', { user: String(bob.id), reason: 'spam' })).toBe(`<@${bob.id}> is now banned.`);
    expect(await lastAudit()).toMatchObject({ targetId: bob.id, actorId: guild.owner.id, reason: 'spam' });
    expect(await isMember(bob)).toBe(false);
    const { code } = await createInvite(owner, guild.channel.id);
    expect(await outcome(joinGuild(callOf(server.app, bob), code))).not.toBe('ok');
    expect(await run('ban', { user: String(bob.id) })).toBe(`<@${bob.id}> was already banned.`);
    await run('unban', { user: String(bob.id) });
    await joinGuild(callOf(server.app, bob), code);
    expect(await isMember(bob)).toBe(true);
  });

  test('end a membership with kick', async () => {
    await run('kick', { user: String(bob.id), reason: 'rude' });
    expect(await isMember(bob)).toBe(false);
    expect(await lastAudit()).toMatchObject({ targetId: bob.id, reason: 'rude' });
  });

  test('remove the newest messages with clear, none older than two weeks', async () => {
    await say('old');
    clock.advance(15 * DAY_MS);
    for (const text of ['one', 'two', 'three']) await say(text);
    expect(await run('clear', { count: 1 })).toBe('Deleted 1 message.');
    expect(await texts()).toEqual(['old', 'one', 'two']);
    expect(await run('clear', { count: 100 })).toBe('Deleted 2 messages.');
    expect(await run('clear', { count: 100 })).toBe('Deleted 0 messages.');
    expect(await texts()).toEqual(['old']);
  });

  test('set and lift slow mode with slowmode', async () => {
    const seconds = async () =>
      (await server.app.db.reader.channel.findUniqueOrThrow({ where: { id: guild.channel.id } })).rateLimitPerUser;
    await run('slowmode', { seconds: 30 });
    expect(await seconds()).toBe(30);
    await run('slowmode', { seconds: 0 });
    expect(await seconds()).toBe(0);
    expect(await outcome(run('slowmode', { seconds: 21_601 }))).toBe('INVALID_INPUT');
  });

  test('refuse slowmode in announcement channels, for any caller and delay', async () => {
    const { id } = await createChannel(owner, guild.id, { name: 'news', type: ChannelType.GuildAnnouncement });
    for (const seconds of [30, 0]) {
      await expect(runBuiltIn(owner, id, 'slowmode', { seconds })).rejects.toMatchObject({
        code: 'WRONG_CHANNEL_TYPE',
        message: 'Announcement channels do not have slow mode.',
      });
    }
    expect(await outcome(runBuiltIn(asAda, id, 'slowmode', { seconds: 30 }))).toBe('MISSING_PERMISSIONS');
    expect(await server.app.db.reader.message.count({ where: { channelId: id } })).toBe(0);
  });
});
