import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { updateApplication } from '../../../src/domain/applications/index.js';
import { banMember } from '../../../src/domain/bans/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { openDirectChannel } from '../../../src/domain/channels/index.js';
import { getUser } from '../../../src/domain/users/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestBot } from '../../harness/world.js';
import { runBuiltIn } from '../built-in-commands/scene.js';

/** The bot of a private application can be looked up by id only by users who know it already. */

let app: AppContext;
let bot: TestBot;
let eve: User;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  bot = await createBot(app);
  eve = await createPerson(app);
  await updateApplication(callOf(app, bot.owner), { applicationId: bot.id, public: false });
});

const own = (user: User): CallContext => callOf(app, user);
const named = (user: User) => outcome(getUser(own(user), bot.id));

describe('the bot of a private application', () => {
  test('is unknown to strangers: to people, to bots, in commands and as a recipient', async () => {
    const guild = await createGuild(app);
    await addMember(app, guild.id, eve);
    expect(await named(eve)).toBe('UNKNOWN_USER');
    expect(await named((await createBot(app)).user)).toBe('UNKNOWN_USER');
    for (const name of ['userinfo', 'avatar']) {
      const run = runBuiltIn(own(eve), guild.channel.id, name, { user: String(bot.id) });
      expect(await outcome(run), name).toBe('INVALID_INPUT');
    }
    expect(await outcome(openDirectChannel(own(eve), bot.id))).toBe('INVALID_RECIPIENT');
  });

  test('is visible to users who share a server with it, also in commands', async () => {
    const guild = await createGuild(app);
    await addMember(app, guild.id, eve);
    await addMember(app, guild.id, bot.user);
    expect(await named(eve)).toBe('ok');
    expect(await outcome(runBuiltIn(own(eve), guild.channel.id, 'userinfo', { user: String(bot.id) }))).toBe('ok');
    expect(await outcome(openDirectChannel(own(eve), bot.id))).toBe('ok');
  });

  test('is visible where it is banned, so that the ban can be lifted', async () => {
    const guild = await createGuild(app);
    await banMember(own(guild.owner), { guildId: guild.id, userId: bot.id });
    expect(await named(guild.owner)).toBe('ok');
  });

  test('is visible to itself, its developers and its testers', async () => {
    expect([await named(bot.user), await named(bot.owner)]).toEqual(['ok', 'ok']);
    const tester = { applicationId: bot.id, userId: eve.id, createdAt: new Date() };
    await app.db.writer.tester.create({ data: tester });
    expect(await named(eve)).toBe('ok');
  });

  test('a bot without an application, such as the platform or a copy on a box, is visible to all users', async () => {
    const { id } = await app.db.writer.user.create({ data: { id: app.nextId(), username: 'Copy', bot: true } });
    expect(await outcome(getUser(own(eve), id))).toBe('ok');
  });

  test('of a public application is visible to all users', async () => {
    await updateApplication(own(bot.owner), { applicationId: bot.id, public: true });
    expect([await named(eve), await named((await createBot(app)).user)]).toEqual(['ok', 'ok']);
  });
});
