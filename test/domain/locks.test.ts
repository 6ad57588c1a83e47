import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { changePassword, isStillPassword } from '../../src/domain/accounts/index.js';
import { deleteApplication, finishDeletion } from '../../src/domain/applications/delete.js';
import type { CallContext, WriteOptions } from '../../src/domain/call.js';
import { addMemberRole, kickMember } from '../../src/domain/members/index.js';
import { endGrant } from '../../src/domain/oauth/tokens.js';
import { createRole, deleteRole } from '../../src/domain/roles/index.js';
import { showMemberships } from '../../src/domain/users/shown.js';
import { inLockOrder, topics } from '../../src/infra/streams/topics.js';
import { test } from '../harness/fixtures.js';
import { outcome } from '../harness/outcome.js';
import { createPerson, putInGuilds } from '../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

test('streams are locked by kind, and then by name', () => {
  const mixed = ['user:1', 'application:2', 'guild:3', 'application:1', 'team:1', 'box:9', 'guild:3', 'guild:1'];
  const ordered = ['guild:1', 'guild:3', 'box:9', 'team:1', 'application:1', 'application:2', 'user:1'];
  expect(inLockOrder(mixed)).toEqual(ordered);
});

/** The same call, and the streams that each of its transactions names. */
function watched(call: CallContext): { call: CallContext; streams: string[][] } {
  const streams: string[][] = [];
  const write: CallContext['write'] = (work, options?: WriteOptions) => {
    streams.push([...(options?.streams ?? [])]);
    return call.write(work, options);
  };
  return { call: { ...call, write }, streams };
}

test("a user's change is shown to one guild after another", async () => {
  const [owner, user] = [await createPerson(app), await createPerson(app)];
  const ids = Array.from({ length: 3 }, () => app.nextId());
  await putInGuilds(app, ids, owner, user);
  const { call, streams } = watched(callOf(app, user));
  await showMemberships(call, user.id, new AbortController().signal);
  expect(streams.map((named) => named.length)).toEqual([1, 1, 1]);
});

test('a transaction with events of a stream that it does not name takes the lock before its work', async () => {
  const { owner, ...guild } = await createGuild(app);
  const call = callOf(app, owner);
  let runs = 0;
  const publish = () =>
    call.write(
      async ({ record }) => {
        runs += 1;
        record({ type: 'COMMAND_ACCESS_UPDATED', applicationId: 1n });
      },
      { streams: [topics.guild(guild.id)] },
    );
  await publish();
  expect(runs).toBe(app.db.dialect === 'postgresql' ? 2 : 1);
});

test('changes of a password name the stream of its user, and ends of grants that of their application', async () => {
  const { call, streams } = watched(callOf(app, await createPerson(app)));
  const password = { userId: 1n, email: 'x', passwordHash: 'x' };
  await isStillPassword(call, password);
  await outcome(changePassword(call, { ...password, keptSession: null }));
  await endGrant(call, { id: 1n, applicationId: 2n, userId: 1n });
  expect(streams).toEqual([['user:1'], ['user:1'], ['application:2']]);
});

describe('the deletion of an application', () => {
  async function botIn(count: number): Promise<{ call: CallContext; bot: TestBot; guilds: TestGuild[] }> {
    const guilds = await Promise.all(Array.from({ length: count }, () => createGuild(app)));
    const owner = await createPerson(app);
    const bot = await createBot(app, { owner });
    for (const { id } of guilds) await addMember(app, id, bot.user);
    return { call: callOf(app, owner), bot, guilds };
  }

  const memberships = ({ id: userId }: TestBot) => app.db.reader.member.count({ where: { userId } });

  test('names the streams of one guild at a time', async () => {
    const { call, bot } = await botIn(3);
    const watching = watched(call);
    await deleteApplication(watching.call, { applicationId: bot.id, name: bot.user.username });
    const guilds = watching.streams.map((named) => named.filter((topic) => topic.startsWith('guild:')).length);
    expect(guilds).toEqual([0, 1, 1, 1, 0]);
  });

  test('removes installations and tokens in transactions of up to 200 rows', async () => {
    const { call, bot } = await botIn(0);
    const { reader, writer } = app.db;
    const ids = Array.from({ length: 250 }, () => app.nextId());
    const of = { applicationId: bot.id };
    await writer.user.createMany({ data: ids.map((id) => ({ id, username: `user${id}` })) });
    await writer.installation.createMany({
      data: ids.map((id) => ({ ...of, id, context: 'USER', userId: id, installerId: id, scopes: [] })),
    });
    const grant = { ...of, id: app.nextId(), userId: bot.owner.id, scopes: ['identify'] };
    await writer.oAuthGrant.create({ data: grant });
    const token = { grantId: grant.id, kind: 'REFRESH' as const, expiresAt: new Date(app.clock.now() + 60_000) };
    await writer.oAuthToken.createMany({ data: ids.map((id) => ({ ...token, hash: `token ${id}` })) });
    const left = async () =>
      (await reader.installation.count({ where: of })) + (await reader.oAuthToken.count({ where: { grant: of } }));
    const removed: number[] = [];
    const counting = async <T>(write: () => Promise<T>) => {
      const before = await left();
      const result = await write();
      removed.push(before - (await left()));
      return result;
    };
    const counted: CallContext = {
      ...call,
      write: (work, options) => counting(() => call.write(work, options)),
      writeOne: (statement, told) => counting(() => call.writeOne(statement, told)),
    };
    await deleteApplication(counted, { applicationId: bot.id, name: bot.user.username });
    expect(removed.filter((count) => count > 0)).toEqual([200, 50, 200, 50]);
    expect(await left()).toBe(0);
  });

  test('is finished by a job if its process ends in between', async () => {
    const { call, bot } = await botIn(3);
    let writes = 0;
    const dying: CallContext['write'] = (work, options) => {
      writes += 1;
      return writes > 2 ? Promise.reject(new Error('killed')) : call.write(work, options);
    };
    await deleteApplication({ ...call, write: dying }, { applicationId: bot.id, name: bot.user.username });
    expect(await memberships(bot)).toBe(2);
    const jobs = await app.db.reader.job.findMany({ where: { kind: 'finish-deletion' } });
    expect(jobs.map((job) => job.payload)).toContainEqual({ applicationId: String(bot.id) });
    await finishDeletion(call, bot.id);
    expect(await memberships(bot)).toBe(0);
    const { deletedAt } = await app.db.reader.user.findUniqueOrThrow({ where: { id: bot.id } });
    expect(deletedAt).not.toBeNull();
  });

  test('and changes of its guilds never wait for each other in a circle', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 6; round += 1) {
      const { call, bot, guilds } = await botIn(4);
      const other = await createBot(app);
      const attempts: (() => Promise<unknown>)[] = [];
      for (const guild of guilds) {
        const owner = callOf(app, guild.owner);
        const member = await createPerson(app);
        await addMember(app, guild.id, member);
        const { id: roleId } = await createRole(owner, guild.id, {});
        const list = { guildId: guild.id, targetType: Target.Role, targetId: roleId, allow: true };
        const lists = [bot.id, other.id].map((applicationId) => ({ ...list, applicationId, commandId: applicationId }));
        await app.db.writer.commandPermission.createMany({ data: lists });
        attempts.push(
          () => deleteRole(owner, { guildId: guild.id, roleId }),
          () => addMemberRole(owner, { guildId: guild.id, userId: member.id, roleId }),
          () => kickMember(owner, { guildId: guild.id, userId: bot.id }),
        );
      }
      attempts.splice(4, 0, () => deleteApplication(call, { applicationId: bot.id, name: bot.user.username }));
      const started = performance.now();
      const outcomes = await Promise.all(attempts.map((attempt) => outcome(attempt())));
      expect(outcomes).not.toContain('OVERLOADED');
      expect(outcomes[4]).toBe('ok');
      // PostgreSQL looks for a deadlock after a second.
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(await memberships(bot)).toBe(0);
    }
  });
});
