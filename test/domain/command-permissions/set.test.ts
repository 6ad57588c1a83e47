import { beforeEach, describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import type { Actor, CallContext } from '../../../src/domain/call.js';
import { listCommandPermissions, setCommandPermissions } from '../../../src/domain/command-permissions/index.js';
import type { PermissionEntry } from '../../../src/domain/command-permissions/record.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { installApplication, type Scope, uninstallApplication } from '../../../src/domain/installations/index.js';
import { setMemberRoles } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import { toldBy } from '../../harness/calls.js';
import { entry, OF_CHANNEL, OF_ROLE, OF_USER, putCommand, putPermissions, saidOf } from '../../harness/command-rows.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { permitEveryone } from '../../harness/rows.js';
import { callOf, createBot, createChannel, createGuild } from '../../harness/world.js';
import { type CommandScene, openScene } from './scene.js';

let app: AppContext;
let scene: CommandScene;
let commandId: bigint;

test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  scene = await openScene(app);
  ({ id: commandId } = await putCommand(app, scene.applicationId, { name: 'roll' }));
});

const { ManageGuild, ManageRoles, ViewChannel } = Permission;

type Where = { guildId?: bigint; applicationId?: bigint; commandId?: bigint | undefined };

const set = (call: CallContext, entries: PermissionEntry[], where: Where = {}) => {
  const { guildId, applicationId } = scene;
  return setCommandPermissions(call, { guildId, applicationId, commandId, ...where, entries });
};
const list = (call: CallContext, where: Where = {}) => {
  const { guildId, applicationId } = scene;
  return listCommandPermissions(call, { guildId, applicationId, commandId, ...where });
};
const said = (id = commandId) => saidOf(app, scene.guildId, id);
const everyoneMay = () => entry(OF_ROLE, scene.guildId);

/** A call with a token that a user granted to the application. */
function tokenCall(user: CallContext, scopes: Scope[] = ['applications.commands.permissions.update']): CallContext {
  if (user.actor.kind !== 'person') throw new Error('only a person grants tokens');
  const expiresAt = new Date(app.clock.now() + 60_000);
  const actor: Actor = { kind: 'token', user: user.actor.user, applicationId: scene.applicationId, scopes, expiresAt };
  return callContext(app, actor);
}

describe('a permission list', () => {
  test('is replaced as a whole, for one command or for all commands of an application', async () => {
    const { id: adaId } = scene.users.ada;
    await set(scene.owner, [everyoneMay(), entry(OF_USER, adaId, false)]);
    expect(await said()).toEqual([`1 ${scene.guildId} yes`, `2 ${adaId} no`]);
    await set(scene.owner, [entry(OF_CHANNEL, scene.channelId), entry(OF_CHANNEL, scene.guildId - 1n, false)]);
    expect(await said()).toEqual([`3 ${scene.guildId - 1n} no`, `3 ${scene.channelId} yes`]);
    await set(scene.owner, [everyoneMay()], { commandId: undefined });
    expect(await said(scene.applicationId)).toEqual([`1 ${scene.guildId} yes`]);
    await set(scene.owner, []);
    expect(await said()).toEqual([]);
    expect(await said(scene.applicationId)).toHaveLength(1);
  });

  test('is returned and listed by type and id of its targets', async () => {
    const entries = [entry(OF_CHANNEL, scene.channelId), entry(OF_USER, scene.users.ada.id), everyoneMay()];
    const sorted = {
      guildId: scene.guildId,
      applicationId: scene.applicationId,
      commandId,
      entries: entries.toReversed(),
    };
    expect(await set(scene.owner, entries)).toEqual(sorted);
    expect(await list(scene.owner)).toEqual(sorted);
    expect(await list(scene.owner, { commandId: undefined })).toMatchObject({
      commandId: scene.applicationId,
      entries: [],
    });
  });

  test('changes with its audit entry and its event, in a transaction that locks its stream', async () => {
    const { id: adaId } = scene.users.ada;
    await set(scene.owner, [everyoneMay(), entry(OF_USER, adaId)]);
    const { events, entries, locking } = await toldBy(scene.owner, (call) =>
      set(call, [everyoneMay(), entry(OF_USER, adaId, false), entry(OF_CHANNEL, scene.channelId, false)]),
    );
    const { guildId, applicationId } = scene;
    expect(locking).toEqual([true]);
    expect(entries).toEqual([
      {
        action: 'COMMAND_PERMISSIONS_UPDATE',
        guildId,
        targetId: commandId,
        changes: {
          applicationId: String(applicationId),
          permissions: [
            { id: String(adaId), type: 2, old: true, new: false },
            { id: String(scene.channelId), type: 3, old: null, new: false },
          ],
        },
      },
    ]);
    expect(events).toMatchObject([
      { type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE', permissions: { guildId, applicationId, commandId } },
      { type: 'COMMAND_ACCESS_UPDATED', applicationId },
    ]);
  });

  test('is neither changed nor published if it is equal', async () => {
    await set(scene.owner, [everyoneMay()]);
    const told = await toldBy(scene.owner, (call) => set(call, [everyoneMay()]));
    expect({ events: told.events, entries: told.entries }).toEqual({ events: [], entries: [] });
  });

  test('is one of the two complete lists if two are set at once', async () => {
    const [one, other] = [
      [everyoneMay(), entry(OF_USER, scene.users.ada.id), entry(OF_CHANNEL, scene.channelId)],
      [entry(OF_ROLE, scene.guildId, false), entry(OF_USER, scene.users.outsider.id, false)],
    ];
    const texts = (entries: PermissionEntry[]) =>
      entries.map(({ targetType, targetId, allow }) => `${targetType} ${targetId} ${allow ? 'yes' : 'no'}`).sort();
    for (let round = 0; round < 3; round += 1) {
      const results = await Promise.all([outcome(set(scene.owner, one)), outcome(set(scene.owner, other))]);
      expect(results).toEqual(['ok', 'ok']);
      expect([texts(one), texts(other)]).toContainEqual(await said());
      await set(scene.owner, []);
    }
  });

  test('that is set while the application is uninstalled is deleted with it', async () => {
    const { id } = await app.db.reader.installation.findFirstOrThrow({ where: { guildId: scene.guildId } });
    const [setting] = await Promise.all([
      outcome(set(scene.owner, [everyoneMay()])),
      uninstallApplication(scene.owner, id),
    ]);
    expect(['ok', 'UNKNOWN_INSTALLATION']).toContain(setting);
    expect(await said()).toEqual([]);
  });
});

describe('the targets of a list', () => {
  const faultsOf = async (...entries: PermissionEntry[]) => {
    const error = await set(scene.owner, entries).catch((refusal: unknown) => refusal);
    return (error as { fields: { path: string; message: string }[] }).fields.map(
      ({ path, message }) => `${path} ${message}`,
    );
  };

  test('get one error each if they do not exist, and nothing changes', async () => {
    const other = await createGuild(app);
    expect(
      await faultsOf(
        everyoneMay(),
        entry(OF_ROLE, other.id),
        entry(OF_USER, 1n),
        entry(OF_CHANNEL, other.channel.id),
        entry(OF_USER, scene.guildId),
        entry(OF_ROLE, scene.guildId - 1n),
        entry(OF_CHANNEL, scene.guildId),
      ),
    ).toEqual([
      'permissions.1.id This role is not in the server.',
      'permissions.2.id This user does not exist.',
      'permissions.3.id This channel is not in the server.',
      'permissions.4.id This user does not exist.',
      'permissions.5.id This role is not in the server.',
      'permissions.6.id This channel is not in the server.',
    ]);
    expect(await said()).toEqual([]);
  });

  test('must be unique', async () => {
    const { id } = scene.users.ada;
    expect(await faultsOf(entry(OF_USER, id), everyoneMay(), entry(OF_USER, id, false))).toEqual([
      'permissions.2.id The list contains this target twice.',
    ]);
  });

  test('may include members who left, without effect', async () => {
    await set(scene.owner, [entry(OF_USER, scene.users.ada.id)]);
    await leaveGuild(scene.ada, scene.guildId);
    expect(await said()).toHaveLength(1);
    expect(await outcome(set(scene.owner, [entry(OF_USER, scene.users.ada.id), everyoneMay()]))).toBe('ok');
  });

  test('may be roles and channels of the server', async () => {
    const role = await createRole(scene.owner, scene.guildId, { name: 'Helpers' });
    const channel = await createChannel(app, scene.guildId, 'news');
    expect(await outcome(set(scene.owner, [entry(OF_ROLE, role.id), entry(OF_CHANNEL, channel.id)]))).toBe('ok');
  });
});

describe.each([
  ['sets', (call: CallContext, where?: Where) => set(call, [], where)],
  ['lists', list],
])('a caller who %s permissions', (_verb, does) => {
  test('must manage the server', async () => {
    expect(await outcome(does(scene.ada))).toBe('MISSING_PERMISSIONS');
    await permitEveryone(app, scene.guildId, ManageGuild);
    expect(await outcome(does(scene.ada))).toBe('ok');
  });

  test('must be a member and a person', async () => {
    expect(await outcome(does(scene.outsider))).toBe('UNKNOWN_GUILD');
    expect(await outcome(does(callOf(app, scene.bot.user)))).toBe('FORBIDDEN');
    expect(await outcome(does(callContext(app, { kind: 'anonymous' })))).toBe('UNAUTHENTICATED');
  });

  test('needs an application that is installed there', async () => {
    const other = await createBot(app);
    expect(await outcome(does(scene.owner, { applicationId: other.id, commandId: undefined }))).toBe(
      'UNKNOWN_INSTALLATION',
    );
    expect(await outcome(does(scene.owner, { guildId: 1n }))).toBe('UNKNOWN_GUILD');
  });
});

describe('the command', () => {
  test.each<[string, () => Promise<bigint>]>([
    ['that there is not', async () => 1n],
    ["that is another application's", async () => (await putCommand(app, (await createBot(app)).id)).id],
    ["that is another server's own", async () => (await putCommand(app, scene.applicationId, { scopeId: 1n })).id],
  ])('is unknown %s', async (_, make) => {
    expect(await outcome(set(scene.owner, [everyoneMay()], { commandId: await make() }))).toBe('UNKNOWN_COMMAND');
  });

  test("may be the server's own", async () => {
    const { id } = await putCommand(app, scene.applicationId, { scopeId: scene.guildId });
    expect(await outcome(set(scene.owner, [everyoneMay()], { commandId: id }))).toBe('ok');
  });
});

describe('an application with the token of a user', () => {
  const MANAGING = ManageGuild | ManageRoles | ViewChannel;

  test("sets its own permissions for the server's owner", async () => {
    expect(await outcome(set(tokenCall(scene.owner), [everyoneMay()]))).toBe('ok');
    expect(await said()).toHaveLength(1);
    const entries = await app.db.reader.auditEntry.findMany({
      where: { action: 'COMMAND_PERMISSIONS_UPDATE', guildId: scene.guildId },
    });
    expect(entries).toMatchObject([{ actorId: scene.guild.owner.id, targetId: commandId }]);
  });

  test('cannot set those of another application', async () => {
    const other = await createBot(app);
    await installApplication(scene.owner, {
      applicationId: other.id,
      guildId: scene.guildId,
      scopes: ['applications.commands'],
    });
    const { id } = await putCommand(app, other.id);
    const token = tokenCall(scene.owner);
    expect(await outcome(set(token, [everyoneMay()], { applicationId: other.id, commandId: id }))).toBe(
      'NOT_OWN_APPLICATION',
    );
    expect(await outcome(set(token, [everyoneMay()], { commandId: id }))).toBe('UNKNOWN_COMMAND');
    expect(await outcome(set(token, [everyoneMay()], { commandId: other.id }))).toBe('UNKNOWN_COMMAND');
  });

  test('needs the scope, and cannot list permissions', async () => {
    expect(await outcome(set(tokenCall(scene.owner, ['applications.commands']), []))).toBe('MISSING_SCOPE');
    expect(await outcome(list(tokenCall(scene.owner)))).toBe('FORBIDDEN');
  });

  test('needs a user who manages the server and its roles, and can run the command', async () => {
    const attempt = () => outcome(set(tokenCall(scene.ada), [everyoneMay(), entry(OF_USER, scene.users.ada.id)]));
    const { guildId, applicationId } = scene;
    await putPermissions(app, { guildId, applicationId, commandId: applicationId }, everyoneMay());
    for (const lacking of [ManageGuild, ManageRoles]) {
      await permitEveryone(app, guildId, MANAGING & ~lacking);
      expect(await attempt()).toBe('MISSING_PERMISSIONS');
    }
    await permitEveryone(app, guildId, MANAGING);
    await putPermissions(app, { guildId, applicationId, commandId }, entry(OF_USER, scene.users.outsider.id));
    expect(await attempt()).toBe('MISSING_PERMISSIONS');
    await putPermissions(app, { guildId, applicationId, commandId });
    expect(await attempt()).toBe('ok');
  });

  test('may act for a user who can run it by a role, and channel entries do not count', async () => {
    const { guildId, applicationId, users } = scene;
    await permitEveryone(app, guildId, MANAGING);
    const role = await createRole(scene.owner, guildId, { name: 'Helpers', permissions: 0n });
    await setMemberRoles(scene.owner, { guildId, userId: users.ada.id, roleIds: [role.id] });
    await putPermissions(
      app,
      { guildId, applicationId, commandId },
      entry(OF_ROLE, role.id),
      entry(OF_CHANNEL, guildId - 1n, false),
    );
    expect(await outcome(set(tokenCall(scene.ada), []))).toBe('ok');
  });

  test('gets an error for a server that the user is not in, or where it is not installed', async () => {
    expect(await outcome(set(tokenCall(scene.outsider), []))).toBe('UNKNOWN_GUILD');
    const other = await createGuild(app);
    expect(await outcome(set(tokenCall(callOf(app, other.owner)), [], { guildId: other.id }))).toBe('MISSING_ACCESS');
  });
});

describe('the permissions of an application in a server are deleted', () => {
  const sayBoth = async () => {
    const { guildId, applicationId } = scene;
    await putPermissions(app, { guildId, applicationId, commandId }, everyoneMay());
    await putPermissions(app, { guildId, applicationId, commandId: applicationId }, everyoneMay());
    const other = await createBot(app);
    await putPermissions(app, { guildId, applicationId: other.id, commandId: other.id }, everyoneMay());
    await putPermissions(app, { guildId: 1n, applicationId, commandId }, entry(OF_ROLE, 1n));
    return other.id;
  };

  test('when it is uninstalled from that server, and those elsewhere are kept', async () => {
    const other = await sayBoth();
    const { id } = await app.db.reader.installation.findFirstOrThrow({ where: { guildId: scene.guildId } });
    await uninstallApplication(scene.owner, id);
    expect([await said(), await said(scene.applicationId)]).toEqual([[], []]);
    expect(await said(other)).toHaveLength(1);
    expect(await saidOf(app, 1n, commandId)).toHaveLength(1);
  });

  test('when its bot leaves', async () => {
    await sayBoth();
    await installApplication(scene.owner, {
      applicationId: scene.applicationId,
      guildId: scene.guildId,
      scopes: ['bot'],
    });
    await leaveGuild(callOf(app, scene.bot.user), scene.guildId);
    expect([await said(), await said(scene.applicationId)]).toEqual([[], []]);
  });
});
