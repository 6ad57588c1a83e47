import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseDelay } from '../../../src/domain/built-in-commands/reminders/delay.js';
import { remind } from '../../../src/domain/built-in-commands/reminders/remind.js';
import type { CallContext } from '../../../src/domain/call.js';
import { joinGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { PLATFORM_ID } from '../../../src/domain/platform/index.js';
import type { Message, User } from '../../../src/infra/database/index.js';
import { ManualClock } from '../../harness/clock.js';
import { eventually } from '../../harness/jobs.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, denyInChannel } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, createBot, createGuild, type TestGuild, toSend } from '../../harness/world.js';
import { runBuiltIn } from './scene.js';

const HOUR_MS = 3_600_000;

const clock = new ManualClock();
let server: TestServer;
let guild: TestGuild;
let ada: User;
let owner: CallContext;
let call: CallContext;
beforeAll(async () => {
  server = await startServer({ clock, jobs: true });
});
beforeEach(async () => {
  guild = await createGuild(server.app);
  ada = await createPerson(server.app);
  await addMember(server.app, guild.id, ada);
  call = callOf(server.app, ada);
  owner = callOf(server.app, guild.owner);
});
afterAll(() => server.stop());

const run = (name: string, options: Record<string, unknown> = {}, as = call) =>
  runBuiltIn(as, guild.channel.id, name, options);

const said = (): Promise<Message[]> =>
  server.app.db.reader.message.findMany({
    where: { channelId: guild.channel.id, authorId: PLATFORM_ID, type: 0 },
    orderBy: { id: 'asc' },
  });

const saidTexts = async () => (await said()).map(({ content }) => content);

const say = (content: string, as = call) => sendMessage(as, { channelId: guild.channel.id, body: toSend({ content }) });

const jobs = () => server.app.db.reader.job.count({ where: { kind: { in: ['reminder', 'greeting'] } } });

async function settled(): Promise<void> {
  clock.advance(1);
  await eventually(async () => expect(await jobs()).toBe(0));
}

describe('afk', () => {
  test('notifies only the user who mentions the absent member', async () => {
    await run('afk', { message: 'at lunch' });
    await say(`hello <@${ada.id}>`, owner);
    const [notice, ...others] = await said();
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ visibleToId: guild.owner.id });
    expect(notice?.content).toMatch(new RegExp(`^<@${ada.id}> is away: at lunch \\(<t:\\d+:R>\\)$`));
  });

  test('ends when the absent member writes, and notifies them', async () => {
    await run('afk');
    await say('back');
    await say(`hello <@${ada.id}>`, owner);
    expect(await said()).toMatchObject([{ visibleToId: ada.id, content: expect.stringContaining('Welcome back') }]);
  });

  test('keeps the latest message', async () => {
    await run('afk', { message: 'at lunch' });
    await run('afk', { message: 'at the lake' });
    await say(`hello <@${ada.id}>`, owner);
    expect(await saidTexts()).toEqual([expect.stringContaining('at the lake')]);
  });

  test('applies to one guild', async () => {
    const elsewhere = await createGuild(server.app);
    await addMember(server.app, elsewhere.id, ada);
    await run('afk');
    await sendMessage(call, { channelId: elsewhere.channel.id, body: toSend({ content: 'here' }) });
    expect(await server.app.db.reader.member.count({ where: { userId: ada.id, awayMessage: { not: null } } })).toBe(1);
  });
});

describe('remindme', () => {
  test.each([
    ['10m', 600_000],
    ['2h', 2 * HOUR_MS],
    ['3d', 72 * HOUR_MS],
    ['1d 12h', 36 * HOUR_MS],
    [' 1M ', 60_000],
    ['365d', 8_760 * HOUR_MS],
    ['366d', null],
    ['0m', null],
    ['59s', null],
    ['10', null],
    ['m', null],
    ['10mx', null],
    ['x10m', null],
    ['', null],
  ])('reads %j as %j milliseconds', (text, expected) => {
    expect(parseDelay(text)).toBe(expected);
  });

  test('posts once, in the same channel, at the requested time', async () => {
    await run('remindme', { when: '2h', about: 'the cake' });
    clock.advance(2 * HOUR_MS - 1);
    expect(await said()).toEqual([]);
    clock.advance(1);
    await settled();
    expect(await said()).toMatchObject([
      { content: expect.stringMatching(/Your reminder from <t:\d+:R>: the cake$/), mentionUserIds: [String(ada.id)] },
    ]);
  });

  test('posts once even if the job runs twice', async () => {
    const payload = {
      userId: String(ada.id),
      channelId: String(guild.channel.id),
      guildId: String(guild.id),
      about: 'the cake',
      askedAt: clock.now(),
    };
    await Promise.all([remind(owner, payload, 'r7'), remind(owner, payload, 'r7')]);
    await remind(owner, payload, 'r7');
    expect(await said()).toHaveLength(1);
    clock.advance(2 * HOUR_MS);
    await remind({ ...owner, clock }, payload, 'r7');
    expect(await said()).toHaveLength(1);
  });

  test('mentions only the caller, regardless of the text', async () => {
    await run('remindme', { when: '1m', about: `@everyone <@${guild.owner.id}>` });
    clock.advance(60_000);
    await settled();
    expect(await said()).toMatchObject([{ mentionEveryone: false, mentionUserIds: [String(ada.id)] }]);
  });

  test.each([
    ['the channel is out of sight', Permission.ViewChannel],
    ['who asked may write nothing', Permission.SendMessages],
  ])('posts nothing if %s by then', async (_what, permission) => {
    await run('remindme', { when: '1m', about: 'the cake' });
    await denyInChannel(server, { id: String(guild.id) }, String(guild.channel.id), permission);
    clock.advance(60_000);
    await settled();
    expect(await said()).toEqual([]);
  });
});

describe('welcome and goodbye', () => {
  async function visit(): Promise<User> {
    const visitor = await createPerson(server.app);
    const { code } = await createInvite(owner, guild.channel.id);
    await joinGuild(callOf(server.app, visitor), code);
    await settled();
    await leaveGuild(callOf(server.app, visitor), guild.id);
    await settled();
    return visitor;
  }

  test('need the permission to manage the server', async () => {
    expect(await outcome(run('welcome'))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(run('goodbye', { off: true }))).toBe('MISSING_PERMISSIONS');
  });

  test('are posted when users join and leave', async () => {
    await run('welcome', {}, owner);
    await run('goodbye', { message: '{user} left {server}; {nothing}' }, owner);
    const visitor = await visit();
    const { name } = await server.app.db.reader.guild.findUniqueOrThrow({ where: { id: guild.id } });
    expect(await said()).toMatchObject([
      { content: `Welcome to ${name}, <@${visitor.id}>!`, mentionUserIds: [String(visitor.id)] },
      { content: `**${visitor.username}** left ${name}; {nothing}`, mentionUserIds: [] },
    ]);
  });

  test('are not posted for bots', async () => {
    await run('welcome', {}, owner);
    await run('goodbye', {}, owner);
    const bot = await createBot(server.app);
    await addMember(server.app, guild.id, bot.user);
    await leaveGuild(callOf(server.app, bot.user), guild.id);
    await settled();
    expect(await said()).toEqual([]);
  });

  test('are not posted after they are turned off', async () => {
    await run('welcome', {}, owner);
    await run('welcome', { off: true }, owner);
    await visit();
    expect(await said()).toEqual([]);
  });

  test('are limited to channels of their guild', async () => {
    const elsewhere = await createGuild(server.app);
    const channel = String(elsewhere.channel.id);
    expect(await outcome(run('welcome', { channel }, owner))).toBe('INVALID_INPUT');
  });
});
