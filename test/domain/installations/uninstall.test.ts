import { beforeEach, describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { createGuild, joinGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import { installApplication, type Scope, uninstallApplication } from '../../../src/domain/installations/index.js';
import { removeWithoutLog } from '../../../src/domain/installations/uninstall.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import type { Installation } from '../../../src/infra/database/index.js';
import { type Caller, newCaller, toldBy } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { readingTogether } from '../../harness/interleave.js';
import { outcome } from '../../harness/outcome.js';
import { openScene } from './scene.js';

let app: AppContext;
let ada: Caller;
let bob: Caller;
let applicationId: bigint;
let guildId: bigint;

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  ada = await newCaller(app, 'ada');
  bob = await newCaller(app, 'bob');
});
beforeEach(async () => {
  ({ applicationId, guildId } = await openScene(ada));
});

const toGuild = (into = guildId, scopes: Scope[] = ['bot']) =>
  installApplication(ada.call, { applicationId, guildId: into, scopes, permissions: 2048n });
const toPerson = ({ call }: Caller = ada) =>
  installApplication(call, { applicationId, scopes: ['applications.commands'] });
const left = async () =>
  (await app.db.reader.installation.findMany({ where: { applicationId }, orderBy: { id: 'asc' } })).map(({ id }) => id);

async function botCall() {
  const user = await app.db.reader.user.findUniqueOrThrow({ where: { id: applicationId } });
  return callContext(app, { kind: 'bot', user, applicationId, messageContentIntent: true });
}

describe.each<[string, () => Promise<Installation>]>([
  ['a guild', toGuild],
  ['a person', toPerson],
])('two uninstallations from %s at once, after both have found it', (_where, install) => {
  test('end with one success and one error for an unknown installation', async () => {
    const { id } = await install();
    const together = readingTogether(app, 'installation.findUnique', 2);
    const call = callContext(together, ada.call.actor);
    const outcomes = await Promise.all([1, 2].map(() => outcome(uninstallApplication(call, id))));
    expect(outcomes.sort()).toEqual(['UNKNOWN_INSTALLATION', 'ok']);
    expect(await left()).toEqual([]);
    const where = { applicationId, action: 'INSTALLATION_DELETE' };
    expect(await app.db.reader.auditEntry.count({ where })).toBe(1);
  });
});

test('a bot that leaves a guild twice at once leaves it once', async () => {
  await toGuild();
  const { events, locking } = await toldBy(await botCall(), (call) =>
    Promise.all([1, 2].map(() => outcome(leaveGuild(call, guildId)))),
  );
  expect(events.map(({ type }) => type)).toEqual([
    'COMMAND_ACCESS_UPDATED',
    'GUILD_MEMBER_REMOVE',
    'GUILD_LEFT',
    'GUILD_ROLE_DELETE',
  ]);
  expect(new Set(locking)).toEqual(new Set([true]));
  expect(await left()).toEqual([]);
});

describe('an uninstallation writes and publishes', () => {
  const entry = () => ({ action: 'INSTALLATION_DELETE', applicationId, targetId: applicationId, guildId });
  const integration = (targetId: bigint) => ({
    action: 'INTEGRATION_DELETE',
    guildId,
    targetId,
    changes: { applicationId: String(applicationId), name: 'Helper' },
  });

  test('from a guild: the entries, the leave of the bot and its role', async () => {
    const { id } = await toGuild();
    const other = await createGuild(ada.call, { name: 'Dock' });
    const elsewhere = await toGuild(other.id);
    const [role] = await app.db.reader.role.findMany({ where: { guildId, applicationId } });
    const told = await toldBy(ada.call, (call) => uninstallApplication(call, id));
    expect(told.entries).toEqual([
      entry(),
      integration(id),
      { action: 'MEMBER_KICK', guildId, targetId: applicationId },
    ]);
    expect(told.events).toMatchObject([
      { type: 'COMMAND_ACCESS_UPDATED', applicationId },
      { type: 'GUILD_MEMBER_REMOVE', guildId, user: { id: applicationId } },
      { type: 'GUILD_LEFT', guildId, userId: applicationId },
      { type: 'GUILD_ROLE_DELETE', guildId, roleId: role?.id },
    ]);
    expect(await left()).toEqual([elsewhere.id]);
    expect(await app.db.reader.member.count({ where: { userId: applicationId } })).toBe(1);
  });

  test('from a guild: the removal of its role from overwrites', async () => {
    const { id } = await toGuild();
    const { id: roleId } = await app.db.reader.role.findFirstOrThrow({ where: { guildId, applicationId } });
    const { id: channelId } = await app.db.reader.channel.findFirstOrThrow({ where: { guildId } });
    await app.db.writer.channelOverwrite.create({ data: { channelId, targetId: roleId, targetType: 0, deny: 1n } });
    const told = await toldBy(ada.call, (call) => uninstallApplication(call, id));
    expect(told.events.at(-1)).toMatchObject({ type: 'CHANNEL_UPDATE', channel: { id: channelId, overwrites: [] } });
    expect(await app.db.reader.channelOverwrite.count({ where: { targetId: roleId } })).toBe(0);
  });

  test('by the bot itself: no kick', async () => {
    const { id } = await toGuild();
    const told = await toldBy(await botCall(), (call) => leaveGuild(call, guildId));
    expect(told.entries).toEqual([entry(), integration(id)]);
  });

  test('without a bot: only the entries of the installation', async () => {
    const { id } = await toGuild(guildId, ['applications.commands']);
    const told = await toldBy(ada.call, (call) => uninstallApplication(call, id));
    const events = [{ type: 'COMMAND_ACCESS_UPDATED', applicationId }];
    expect(told.entries).toEqual([entry(), integration(id)]);
    expect([told.events, told.locking]).toEqual([events, [true]]);
  });

  test('from an account: the entry, of that user only', async () => {
    const { id } = await toPerson();
    const bobs = await toPerson(bob);
    const told = await toldBy(ada.call, (call) => uninstallApplication(call, id));
    expect(told.entries).toEqual([{ action: 'INSTALLATION_DELETE', applicationId, targetId: ada.id }]);
    expect(told.events).toEqual([{ type: 'COMMAND_ACCESS_UPDATED', applicationId }]);
    expect(await left()).toEqual([bobs.id]);
  });
});

test('removing an application from each of its guilds keeps user installs and other members', async () => {
  const guilds = [guildId];
  for (let index = 0; index < 2; index += 1) guilds.push((await createGuild(ada.call, { name: 'Dock' })).id);
  for (const id of guilds) await toGuild(id);
  const mine = await toPerson();
  const told = await toldBy(ada.call, (call) =>
    call.write(async (write) => {
      for (const id of guilds) {
        const removed = await removeWithoutLog(call, write, applicationId, id);
        expect(removed).toEqual({ installationId: expect.any(BigInt), memberships: 1 });
      }
    }),
  );
  expect(new Set(told.entries.map(({ action }) => action))).toEqual(new Set(['INSTALLATION_DELETE']));
  expect(told.entries.map(({ guildId: of }) => of).sort()).toEqual([...guilds].sort());
  const counted = told.events.map(({ type }) => type);
  for (const type of ['GUILD_MEMBER_REMOVE', 'GUILD_LEFT', 'GUILD_ROLE_DELETE']) {
    expect(counted.filter((name) => name === type)).toHaveLength(3);
  }
  expect(await left()).toEqual([mine.id]);
  expect(await app.db.reader.member.count({ where: { guildId } })).toBe(1);
  expect(await app.db.reader.role.count({ where: { guildId } })).toBe(1);
});

test.each<[string, () => Promise<unknown>, string]>([
  ['what is not there', () => uninstallApplication(ada.call, 1n), 'UNKNOWN_INSTALLATION'],
  [
    'what others installed to themselves',
    async () => uninstallApplication(bob.call, (await toPerson()).id),
    'UNKNOWN_INSTALLATION',
  ],
  [
    'what is in a guild of others',
    async () => uninstallApplication(bob.call, (await toGuild()).id),
    'UNKNOWN_INSTALLATION',
  ],
  [
    'what is in a guild they do not manage',
    async () => {
      const { id } = await toGuild();
      const channel = await app.db.reader.channel.findFirstOrThrow({ where: { guildId } });
      await joinGuild(bob.call, (await createInvite(ada.call, channel.id)).code);
      return uninstallApplication(bob.call, id);
    },
    'MISSING_PERMISSIONS',
  ],
])('no caller can uninstall %s', async (_what, act, expected) => {
  expect(await outcome(act())).toBe(expected);
});
