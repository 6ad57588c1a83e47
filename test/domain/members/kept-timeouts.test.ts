import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { banMember, unbanMember } from '../../../src/domain/bans/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { accessGuild, joinGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import { uninstallApplication } from '../../../src/domain/installations/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { kickMember, updateMember } from '../../../src/domain/members/index.js';
import { removeInactive } from '../../../src/domain/members/prune.js';
import type { User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { ManualClock } from '../../harness/clock.js';
import { openContext } from '../../harness/context.js';
import { between, meanwhile, noPostgres } from '../../harness/interleave.js';
import { createPerson, DAY_MS, putAccounts } from '../../harness/rows.js';
import { needing } from '../../harness/skipping.js';
import { callOf, createBot, createGuild, joinGuildAs, type TestGuild } from '../../harness/world.js';

const clock = new ManualClock();
let app: AppContext;
let close: () => Promise<void>;
let guild: TestGuild;
let owner: CallContext;
let ada: User;
beforeAll(async () => {
  const opened = await openContext();
  app = { ...opened.app, clock };
  close = opened.close;
});
beforeEach(async () => {
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
  ada = await createPerson(app);
  await joinGuildAs(app, guild.id, ada);
});
afterAll(() => close());

const keyOf = ({ id: userId }: User) => ({ guildId: guild.id, userId });

async function timeOut(user: User, days = 20): Promise<Date> {
  const communicationDisabledUntil = new Date(clock.now() + days * DAY_MS);
  await updateMember(owner, { ...keyOf(user), communicationDisabledUntil });
  return communicationDisabledUntil;
}

const kept = async (user = ada) =>
  (await app.db.reader.keptTimeout.findMany({ where: keyOf(user) })).map(({ until }) => until);

/** The end of a member's timeout; undefined for users who are not members. */
const untilOf = async (user = ada) =>
  (await app.db.reader.member.findUnique({ where: { guildId_userId: keyOf(user) } }))?.communicationDisabledUntil;

const leave = (user = ada) => leaveGuild(callOf(app, user), guild.id);

const ENDINGS: [how: string, end: () => Promise<unknown>][] = [
  ['left', () => leave()],
  ['was kicked', () => kickMember(owner, keyOf(ada))],
  [
    'was banned, and is not any more',
    async () => {
      await banMember(owner, keyOf(ada));
      await unbanMember(owner, keyOf(ada));
    },
  ],
  [
    'was pruned',
    async () => {
      await putAccounts(app, [ada], 90);
      const where = { guildId_userId: keyOf(ada) };
      await app.db.writer.member.update({ where, data: { joinedAt: new Date(clock.now() - 100 * DAY_MS) } });
      const prune = { guildId: String(guild.id), notSeenSince: clock.now() - 7 * DAY_MS, roleIds: [], below: null };
      await removeInactive(owner, prune, new AbortController().signal);
    },
  ],
];

describe('a timed-out member', () => {
  test.each(ENDINGS)('who %s is still timed out after joining again', async (_, end) => {
    const until = await timeOut(ada);
    await end();
    expect([await untilOf(), await kept()]).toEqual([undefined, [until]]);
    const { events } = hearGuild({ app }, guild.id);
    await joinGuildAs(app, guild.id, ada);
    expect([await untilOf(), await kept()]).toEqual([until, []]);
    const [added] = events.filter(({ type }) => type === 'GUILD_MEMBER_ADD');
    expect(Date.parse(JSON.parse(added?.data ?? '{}').communication_disabled_until)).toBe(until.getTime());
    const { permissions } = await accessGuild(callOf(app, ada), guild.id, 'viewGuild');
    expect(permissions & 2048n).toBe(0n);
  });

  test('leaves with the latest state of the timeout', async () => {
    await timeOut(ada);
    await leave();
    await joinGuildAs(app, guild.id, ada);
    const later = await timeOut(ada, 25);
    await leave();
    expect(await kept()).toEqual([later]);
    await joinGuildAs(app, guild.id, ada);
    await updateMember(owner, { ...keyOf(ada), communicationDisabledUntil: null });
    await leave();
    expect(await kept()).toEqual([]);
    await joinGuildAs(app, guild.id, ada);
    expect(await untilOf()).toBeNull();
  });

  test('is timed out in that guild only, and other members are not', async () => {
    await timeOut(ada);
    await leave();
    const [bob, elsewhere] = [await createPerson(app), await createGuild(app)];
    expect((await joinGuildAs(app, guild.id, bob)).communicationDisabledUntil).toBeNull();
    expect((await joinGuildAs(app, elsewhere.id, ada)).communicationDisabledUntil).toBeNull();
    expect(await kept()).toHaveLength(1);
  });

  test('as a bot is timed out again after a new installation', async () => {
    const { user } = await createBot(app);
    for (const end of [
      () => leave(user),
      async () => {
        const where = { applicationId: user.id, guildId: guild.id };
        const { id } = await app.db.reader.installation.findFirstOrThrow({ where });
        await uninstallApplication(owner, id);
      },
    ]) {
      await joinGuildAs(app, guild.id, user);
      const until = await timeOut(user);
      await end();
      expect(await kept(user)).toEqual([until]);
      expect((await joinGuildAs(app, guild.id, user)).communicationDisabledUntil).toEqual(until);
      await end();
    }
  });
});

describe('an expired timeout', () => {
  test('is not stored when its member leaves', async () => {
    await timeOut(ada, 1);
    clock.advance(DAY_MS);
    await leave();
    expect(await kept()).toEqual([]);
  });

  test('does not apply when its member joins again, and does not block a new one', async () => {
    await timeOut(ada, 1);
    await leave();
    clock.advance(DAY_MS);
    await joinGuildAs(app, guild.id, ada);
    expect(await untilOf()).toBeNull();
    const until = await timeOut(ada);
    await leave();
    expect(await kept()).toEqual([until]);
  });
});

describe.skipIf(noPostgres)(needing(noPostgres, 'a member who leaves while they join'), () => {
  test('keeps the timeout', async () => {
    const until = await timeOut(ada);
    const { code } = await createInvite(owner, guild.channel.id);
    // This process does not know of the membership yet.
    const guilds = Object.create(app.guilds, { member: { value: async () => null } });
    const leaving = meanwhile(app, leave);
    await between(/INSERT INTO .*"Member"/, leaving.begin, () => joinGuild({ ...callOf(app, ada), guilds }, code));
    await leaving.done();
    expect([await untilOf(), await kept()]).toEqual([undefined, [until]]);
  });
});
