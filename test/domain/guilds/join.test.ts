import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createGuild as createGuildAs, joinGuild, leaveGuild, NewGuild } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import type { User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { ManualClock } from '../../harness/clock.js';
import { faultsIn } from '../../harness/faults-in.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let ada: User;
let bob: User;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  [ada, bob] = [await createPerson(app), await createPerson(app)];
});
beforeEach(async () => {
  guild = await createGuild(app);
});

const invite = async (options: { maxUses?: number; maxAge?: number } = {}) =>
  (await createInvite(callOf(app, guild.owner), guild.channel.id, options)).code;
const join = (user: User, code: string) => joinGuild(callOf(app, user), code);
const usesOf = async (code: string) => (await app.db.reader.invite.findUnique({ where: { code } }))?.uses;
const memberIds = async () => {
  const members = await app.db.reader.member.findMany({ where: { guildId: guild.id }, orderBy: { userId: 'asc' } });
  return members.map(({ userId }) => userId);
};
const UNKNOWN = { code: 'UNKNOWN_INVITE' };

describe('joining', () => {
  test('is published and counted, and the last use deletes the invite', async () => {
    const code = await invite({ maxUses: 2 });
    const { events } = hearGuild({ app }, guild.id);
    expect(await join(ada, code)).toMatchObject({ id: guild.id });
    expect(events.map(({ type, userId }) => [type, userId])).toEqual([['GUILD_MEMBER_ADD', String(ada.id)]]);
    expect(await usesOf(code)).toBe(1);
    await join(bob, code);
    expect(events.map(({ type }) => type).sort()).toEqual(['GUILD_MEMBER_ADD', 'GUILD_MEMBER_ADD', 'INVITE_DELETE']);
    expect(await usesOf(code)).toBeUndefined();
  });

  test('twice at the same time is one use and one membership', async () => {
    const code = await invite({ maxUses: 5 });
    const { events } = hearGuild({ app }, guild.id);
    const answers = await Promise.all([join(ada, code), join(ada, code)]);
    expect(answers.map(({ id }) => id)).toEqual([guild.id, guild.id]);
    expect(events.map(({ type }) => type)).toEqual(['GUILD_MEMBER_ADD']);
    expect(await usesOf(code)).toBe(1);
  });

  test('with the last use succeeds for one of two users at the same time', async () => {
    const code = await invite({ maxUses: 1 });
    const { events } = hearGuild({ app }, guild.id);
    const ended = await Promise.allSettled([join(ada, code), join(bob, code)]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended).toContainEqual(expect.objectContaining({ reason: expect.objectContaining(UNKNOWN) }));
    expect(await memberIds()).toHaveLength(2);
    expect(events.map(({ type }) => type).sort()).toEqual(['GUILD_MEMBER_ADD', 'INVITE_DELETE']);
  });

  test('is refused if the invite expires or the user is deleted during the request', async () => {
    const code = await invite({ maxAge: 60 });
    const clock = new ManualClock();
    const call = callOf({ ...app, clock }, ada);
    const guilds = Object.create(app.guilds, {
      member: {
        value: (...key: [bigint, bigint]) => {
          clock.advance(61_000);
          return app.guilds.member(...key);
        },
      },
    });
    await expect(joinGuild({ ...call, guilds }, code)).rejects.toMatchObject(UNKNOWN);
    await expect(join({ ...ada, id: app.nextId() }, code)).rejects.toMatchObject(UNKNOWN);
    expect(await memberIds()).toEqual([guild.owner.id]);
    expect(await usesOf(code)).toBe(0);
  });

  test('is refused to bots, and for an unknown code', async () => {
    await expect(join((await createBot(app)).user, await invite())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(join(ada, 'nonsense')).rejects.toMatchObject(UNKNOWN);
  });
});

describe('leaving', () => {
  test('is published once for two requests at the same time', async () => {
    await join(ada, await invite());
    await join(bob, await invite());
    const { events } = hearGuild({ app }, guild.id);
    await Promise.all([leaveGuild(callOf(app, ada), guild.id), leaveGuild(callOf(app, ada), guild.id)]);
    expect(events.map(({ type, userId }) => [type, userId])).toEqual([['GUILD_MEMBER_REMOVE', String(ada.id)]]);
    expect(await memberIds()).toEqual([guild.owner.id, bob.id].sort((a, b) => (a < b ? -1 : 1)));
    await expect(leaveGuild(callOf(app, ada), guild.id)).rejects.toMatchObject({ code: 'UNKNOWN_GUILD' });
  });

  test('as a bot ends the installation to this guild only', async () => {
    const [bot, other] = [(await createBot(app)).user, await createGuild(app)];
    await addMember(app, guild.id, bot);
    await addMember(app, other.id, bot);
    await leaveGuild(callOf(app, bot), guild.id);
    const installations = await app.db.reader.installation.findMany({ where: { applicationId: bot.id } });
    expect(installations.map(({ guildId }) => guildId)).toEqual([other.id]);
    expect(await app.guilds.member(guild.id, bot.id)).toBeNull();
    expect(await app.guilds.member(other.id, bot.id)).not.toBeNull();
  });

  test('is refused to the owner, with a message', async () => {
    await expect(leaveGuild(callOf(app, guild.owner), guild.id)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'The owner of a server cannot leave it.',
    });
  });
});

describe('a new guild', () => {
  test('is audited, and has the given name and description', async () => {
    const made = await createGuildAs(
      callOf(app, ada),
      parseInput(NewGuild, { name: ' Harbour ', description: ' Ships ' }),
    );
    expect(made).toMatchObject({ name: 'Harbour', description: 'Ships', ownerId: ada.id });
    expect(await app.db.reader.auditEntry.findMany({ where: { guildId: made.id } })).toMatchObject([
      { action: 'GUILD_CREATE', actorId: ada.id, targetId: made.id, changes: { name: 'Harbour' } },
    ]);
  });

  test.each([
    ['name', { name: 'x' }],
    ['name', { name: 'x'.repeat(101) }],
    ['description', { name: 'Harbour', description: 'x'.repeat(301) }],
  ])('is refused for an invalid %s', (path, input) => {
    expect(faultsIn(NewGuild, input)).toMatchObject([{ path }]);
  });

  test('is refused to bots', async () => {
    const refused = createGuildAs(callOf(app, (await createBot(app)).user), { name: 'Harbour' });
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
