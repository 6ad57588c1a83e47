import { beforeEach, describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { updateApplication } from '../../../src/domain/applications/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { joinGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import {
  HONOURED_SCOPES,
  installApplication,
  ServerInstall,
  storedScopes,
  UserInstall,
} from '../../../src/domain/installations/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { setMemberRoles } from '../../../src/domain/members/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import { type Caller, newCaller, toldBy } from '../../harness/calls.js';
import { faultsIn } from '../../harness/faults-in.js';
import { test } from '../../harness/fixtures.js';
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

const install = (call = ada.call, scopes = ['bot'], permissions = '2048') =>
  installApplication(call, { applicationId, guildId, ...parseInput(ServerInstall, { scopes, permissions }) });
const toPerson = (call = ada.call, scopes = ['applications.commands'], permissions?: string) =>
  installApplication(call, { applicationId, ...parseInput(UserInstall, { scopes, permissions }) });
const kept = () => app.db.reader.installation.findMany({ where: { applicationId } });
const roles = () => app.db.reader.role.findMany({ where: { guildId, applicationId }, include: { members: true } });

async function bobManages(): Promise<void> {
  const channel = await app.db.reader.channel.findFirstOrThrow({ where: { guildId } });
  await joinGuild(bob.call, (await createInvite(ada.call, channel.id)).code);
  const { id } = await createRole(ada.call, guildId, { name: 'Managers', permissions: Permission.ManageGuild });
  await setMemberRoles(ada.call, { guildId, userId: bob.id, roleIds: [id] });
}

describe('an installation to a guild is audited and published', () => {
  const put = async (scopes: string[], old: string | null, now: string) => {
    const [installation] = await kept();
    return {
      action: 'INSTALLATION_PUT',
      guildId,
      applicationId,
      targetId: installation?.id,
      changes: { scopes, permissions: { old, new: now } },
    };
  };

  const created = async () => ({
    action: 'INTEGRATION_CREATE',
    guildId,
    targetId: (await kept())[0]?.id,
    changes: { applicationId: String(applicationId), name: 'Helper' },
  });

  test('with a bot: its role, its membership and its join', async () => {
    const told = await toldBy(ada.call, (call) => install(call));
    expect(told.entries).toEqual([
      { action: 'BOT_ADD', guildId, targetId: applicationId },
      await created(),
      await put(['bot'], null, '2048'),
    ]);
    expect(told.events).toMatchObject([
      { type: 'GUILD_ROLE_CREATE', role: { managed: true, applicationId, permissions: 2048n, name: 'Helper' } },
      { type: 'GUILD_MEMBER_ADD', member: { userId: applicationId, user: { bot: true } } },
      { type: 'GUILD_JOINED', guildId, userId: applicationId },
      { type: 'COMMAND_ACCESS_UPDATED', applicationId },
    ]);
    expect([told.locking, told.mails]).toEqual([[true], []]);
    const [role] = await roles();
    expect(role?.members).toMatchObject([{ userId: applicationId }]);
    expect(await kept()).toMatchObject([{ context: 'SERVER', guildId, userId: null, installerId: ada.id }]);
  });

  test('again with the same permissions: the entry and the new access', async () => {
    await install();
    const told = await toldBy(ada.call, (call) => install(call));
    expect(told.entries).toEqual([await put(['bot'], '2048', '2048')]);
    expect(told.events).toEqual([{ type: 'COMMAND_ACCESS_UPDATED', applicationId }]);
  });

  test('again with others, by another member: the role, the new installer, and the permissions that the bot lost', async () => {
    await install(ada.call, ['bot'], String(Permission.SendMessages | Permission.ViewChannel));
    await bobManages();
    const told = await toldBy(bob.call, (call) => install(call, ['bot'], '2048'));
    expect(told.entries).toEqual([await put(['bot'], '3072', '2048')]);
    expect(told.events).toMatchObject([
      { type: 'GUILD_ROLE_UPDATE', role: { permissions: 2048n } },
      { type: 'COMMAND_ACCESS_UPDATED', applicationId },
    ]);
    expect(told.mails).toEqual(['ada@people.example Helper lost permissions in Harbour']);
    expect(await kept()).toMatchObject([{ installerId: bob.id }]);
  });

  test('without a bot: the entries and the access, and an existing bot keeps its permissions', async () => {
    const none = await toldBy(ada.call, (call) => install(call, ['applications.commands']));
    expect(none.entries).toEqual([await created(), await put(['applications.commands'], null, '0')]);
    expect([none.events, await roles()]).toEqual([[{ type: 'COMMAND_ACCESS_UPDATED', applicationId }], []]);
    await install();
    const told = await toldBy(ada.call, (call) => install(call, ['applications.commands', 'identify'], '8'));
    expect(told.entries).toEqual([await put(['bot', 'applications.commands', 'identify'], null, '2048')]);
    expect([told.events, told.mails]).toEqual([[{ type: 'COMMAND_ACCESS_UPDATED', applicationId }], []]);
    expect(await roles()).toMatchObject([{ permissions: 2048n }]);
  });

  test('without permissions: the bot gets the defaults of the application', async () => {
    await updateApplication(ada.call, {
      applicationId,
      defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot'], permissions: '1024' }],
    });
    await installApplication(ada.call, { applicationId, guildId, scopes: ['bot'] });
    expect(await roles()).toMatchObject([{ permissions: 1024n }]);
  });
});

describe('a transaction that installs', () => {
  /** The same call. `first` runs before its transaction. */
  const after = (first: () => Promise<unknown>, call: CallContext): CallContext => ({
    ...call,
    async write(work, options) {
      await first();
      return call.write(work, options);
    },
  });

  test('adds to an installation by another caller', async () => {
    const call = after(() => install(ada.call, ['applications.commands']), ada.call);
    expect((await install(call)).scopes).toEqual(['applications.commands', 'bot']);
    expect(await kept()).toHaveLength(1);
  });

  test('is refused to a caller who has just lost the permission', async () => {
    await bobManages();
    const loses = () => setMemberRoles(ada.call, { guildId, userId: bob.id, roleIds: [] });
    expect(await outcome(install(after(loses, bob.call)))).toBe('MISSING_PERMISSIONS');
  });
});

test('a bot that left is not granted more than its new installer has', async () => {
  await install(ada.call, ['bot'], String(Permission.BanMembers | Permission.SendMessages));
  const user = await app.db.reader.user.findUniqueOrThrow({ where: { id: applicationId } });
  await leaveGuild(callContext(app, { kind: 'bot', user, applicationId, messageContentIntent: true }), guildId);
  await bobManages();
  await install(bob.call, ['bot'], String(Permission.BanMembers | Permission.SendMessages));
  expect(await roles()).toMatchObject([{ permissions: Permission.SendMessages, members: [{ userId: applicationId }] }]);
});

describe('an installation to a user', () => {
  test('is audited with all its scopes', async () => {
    const first = await toldBy(ada.call, (call) => toPerson(call));
    const second = await toldBy(ada.call, (call) => toPerson(call, ['identify', 'applications.commands'], '0'));
    const [installation] = await kept();
    const entry = { action: 'INSTALLATION_PUT', applicationId, targetId: installation?.id };
    expect(first.entries).toEqual([{ ...entry, changes: { scopes: ['applications.commands'] } }]);
    expect(second.entries).toEqual([{ ...entry, changes: { scopes: ['applications.commands', 'identify'] } }]);
    expect([first.events, first.locking]).toEqual([[{ type: 'COMMAND_ACCESS_UPDATED', applicationId }], [true]]);
    expect(second.events).toEqual(first.events);
    expect(await kept()).toMatchObject([
      {
        context: 'USER',
        userId: ada.id,
        guildId: null,
        installerId: ada.id,
        scopes: ['applications.commands', 'identify'],
      },
    ]);
  });

  test.each<[string, string[], string | undefined, string]>([
    ['a bot', ['bot', 'applications.commands'], undefined, 'scopes'],
    ['permissions', ['applications.commands'], '8', 'permissions'],
    ['nothing that installs', ['identify'], undefined, 'scopes'],
  ])('accepts no %s', (_what, scopes, permissions, path) => {
    expect(faultsIn(UserInstall, { scopes, permissions })).toMatchObject([{ path }]);
  });
});

describe('the scopes of an installation', () => {
  const twice = [...HONOURED_SCOPES, ...HONOURED_SCOPES];

  test('may be given twice each, and count once', async () => {
    expect((await install(ada.call, twice)).scopes).toEqual([...HONOURED_SCOPES]);
    expect(faultsIn(ServerInstall, { scopes: [...twice, 'bot'] })).toMatchObject([{ path: 'scopes' }]);
  });

  test('are read from storage in their order, without unsupported ones', () => {
    expect(storedScopes(['rpc', 'applications.commands', 'bot', 'identify', 'bot'])).toEqual([
      'identify',
      'bot',
      'applications.commands',
    ]);
    for (const none of [undefined, null, 'bot', {}]) expect(storedScopes(none)).toEqual([]);
  });
});
