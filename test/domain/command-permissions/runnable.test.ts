import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { deleteApplication } from '../../../src/domain/applications/index.js';
import { createChannel, deleteChannel, updateChannel } from '../../../src/domain/channels/index.js';
import { findRunnableCommand, whyRunnable } from '../../../src/domain/command-permissions/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole, deleteRole } from '../../../src/domain/roles/index.js';
import {
  changeCommand,
  entry,
  OF_CHANNEL,
  OF_ROLE,
  OF_USER,
  putCommand,
  putPermissions,
  saidOf,
} from '../../harness/command-rows.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createDirectChannel, permitEveryone } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, callOf, createBot, createGuild } from '../../harness/world.js';
import { type CommandScene, installToPerson, letInstallToPeople, openScene } from './scene.js';

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

const find = (call = scene.ada, id = commandId, channelId = scene.channelId) =>
  findRunnableCommand(call, { channelId, commandId: id });
const ofApplication = () => ({ ...scene, commandId: scene.applicationId });
const keyOf = ({
  guildId,
  applicationId,
  commandId: id,
}: {
  guildId: bigint;
  applicationId: bigint;
  commandId: bigint;
}) => ({
  guildId,
  applicationId,
  commandId: id,
});
const say = (...entries: Parameters<typeof putPermissions>[2][]) =>
  putPermissions(app, keyOf(ofApplication()), ...entries);
const sayOfCommand = (...entries: Parameters<typeof putPermissions>[2][]) =>
  putPermissions(app, keyOf({ ...scene, commandId }), ...entries);
const why = (call = scene.ada, userId?: bigint) => whyRunnable(call, { channelId: scene.channelId, commandId, userId });

describe('a command can be run', () => {
  test('by many callers at once', async () => {
    const { id: another } = await putCommand(app, scene.applicationId, { name: 'again' });
    const ids = [commandId, another, commandId, another];
    const found = await Promise.all(ids.map((id) => find(scene.owner, id)));
    expect(found.map(({ command }) => command.id)).toEqual(ids);
  });

  test('by the owner of the server, and the result has all data that a run needs', async () => {
    const { command, application, place, owners, ephemeralOnly } = await find(scene.owner);
    expect(command).toMatchObject({ id: commandId, name: 'roll', options: [], integrationTypes: [0], contexts: null });
    expect(command).not.toHaveProperty('application');
    expect(application).toMatchObject({ id: scene.applicationId, privateKey: expect.any(String) });
    expect(place).toMatchObject({ kind: 'guild', guildId: scene.guildId, channelId: scene.channelId });
    expect({ owners, ephemeralOnly }).toEqual({ owners: { guildId: scene.guildId }, ephemeralOnly: false });
  });

  test('by a member only after they are allowed to', async () => {
    await expect(find()).rejects.toMatchObject({
      code: 'MISSING_PERMISSIONS',
      message: expect.stringMatching(
        /^Refused: by default only the owner of the server .* can add a rule in .* settings\.$/,
      ),
    });
    await say(entry(OF_USER, scene.users.ada.id));
    expect((await find()).command.id).toBe(commandId);
  });

  test('in the channels that are not denied', async () => {
    await say(entry(OF_ROLE, scene.guildId), entry(OF_CHANNEL, scene.guildId - 1n, false));
    expect(await outcome(find())).toBe('MISSING_PERMISSIONS');
    await say(
      entry(OF_ROLE, scene.guildId),
      entry(OF_CHANNEL, scene.channelId, true),
      entry(OF_CHANNEL, scene.guildId - 1n, false),
    );
    expect(await outcome(find())).toBe('ok');
  });

  test("by the command's own list instead of the application's, even if it names other users", async () => {
    await say(entry(OF_ROLE, scene.guildId));
    await sayOfCommand(entry(OF_USER, scene.users.outsider.id));
    expect(await outcome(find())).toBe('MISSING_PERMISSIONS');
    await sayOfCommand();
    expect(await outcome(find())).toBe('ok');
  });

  test('if it is age-restricted, in an age-restricted channel only', async () => {
    await changeCommand(app, commandId, { nsfw: true });
    await expect(find(scene.owner)).rejects.toMatchObject({
      code: 'MISSING_PERMISSIONS',
      message: 'Refused: the command is age-restricted, but the channel is not.',
    });
    await updateChannel(scene.owner, scene.channelId, { nsfw: true });
    await permitEveryone(app, scene.guildId, Permission.ViewChannel);
    expect(await outcome(find(scene.owner))).toBe('ok');
  });

  test('without a statement after the first time', async () => {
    await say(entry(OF_ROLE, scene.guildId));
    await find();
    expect(await statementsOf(() => find())).toEqual([]);
  });
});

describe('a command is unknown', () => {
  test('if it does not exist or its application is deleted', async () => {
    expect(await outcome(find(scene.owner, 1n))).toBe('UNKNOWN_COMMAND');
    await deleteApplication(callOf(app, scene.bot.owner), {
      applicationId: scene.applicationId,
      name: scene.bot.user.username,
    });
    expect(await outcome(find(scene.owner))).toBe('UNKNOWN_COMMAND');
  });

  test('if it belongs to another server, even if its application is in both', async () => {
    const other = await createGuild(app);
    const owner = callOf(app, other.owner);
    const { applicationId } = scene;
    await installApplication(owner, { applicationId, guildId: other.id, scopes: ['applications.commands'] });
    const { id } = await putCommand(app, applicationId, { scopeId: other.id });
    expect(await outcome(find(scene.owner, id))).toBe('UNKNOWN_COMMAND');
    expect(await outcome(find(owner, id, other.channel.id))).toBe('ok');
  });

  test('unless its application is installed, which adding its bot implies', async () => {
    const other = await createBot(app);
    const { id } = await putCommand(app, other.id);
    expect(await outcome(find(scene.owner, id))).toBe('UNKNOWN_COMMAND');
    await addMember(app, scene.guildId, other.user);
    expect(await outcome(find(scene.owner, id))).toBe('ok');
  });
});

test('a stored command with the name of a newer built-in command is refused by its name', async () => {
  const { id } = await putCommand(app, scene.applicationId, { name: 'Ban' });
  await expect(find(scene.owner, id)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    fields: [{ path: 'commandId', message: '"Ban" is the name of a built-in command. Rename this command.' }],
  });
  await changeCommand(app, id, { name: 'banish' });
  expect(await outcome(find(scene.owner, id))).toBe('ok');
});

test('a command is refused to callers who cannot see the channel or are not people', async () => {
  expect(await outcome(find(scene.outsider))).toBe('UNKNOWN_CHANNEL');
  const { id } = await createDirectChannel(app);
  expect(await outcome(find(scene.owner, commandId, id))).toBe('UNKNOWN_CHANNEL');
  expect(await outcome(find(callOf(app, scene.bot.user)))).toBe('FORBIDDEN');
  await permitEveryone(app, scene.guildId, 0n);
  expect(await outcome(find())).toBe('UNKNOWN_CHANNEL');
  await permitEveryone(app, scene.guildId, Permission.ViewChannel);
  await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('Use Application Commands') });
});

describe('an application that a user installed for themselves', () => {
  let own: { id: bigint };
  let application: bigint;
  beforeEach(async () => {
    ({ id: application } = await createBot(app));
    own = await putCommand(app, application, { integrationTypes: [1] });
    await installToPerson(app, application, scene.users.ada);
  });

  test('runs for that user only, through their installation', async () => {
    expect(await find(scene.ada, own.id)).toMatchObject({
      owners: { userId: scene.users.ada.id },
      ephemeralOnly: false,
    });
    expect(await outcome(find(scene.owner, own.id))).toBe('UNKNOWN_COMMAND');
    await permitEveryone(app, scene.guildId, Permission.ViewChannel | Permission.UseApplicationCommands);
    expect(await find(scene.ada, own.id)).toMatchObject({ ephemeralOnly: true });
  });

  test('does not run after user installs are disabled', async () => {
    await letInstallToPeople(app, application, false);
    expect(await outcome(find(scene.ada, own.id))).toBe('UNKNOWN_COMMAND');
  });

  test('is unknown to other callers, regardless of their permissions', async () => {
    const asked = { channelId: scene.channelId, commandId: own.id, userId: scene.users.ada.id };
    expect(await outcome(whyRunnable(scene.owner, asked))).toBe('UNKNOWN_COMMAND');
    expect(await whyRunnable(scene.ada, asked)).toMatchObject({ allowed: true, rule: 'user-install' });
  });
});

describe("a command's own list after its last target is deleted", () => {
  beforeEach(() => say(entry(OF_ROLE, scene.guildId)));
  const createMods = () => createRole(scene.owner, scene.guildId, { name: 'mods' });

  test('still denies all other members: a role', async () => {
    const { id: roleId } = await createMods();
    await sayOfCommand(entry(OF_ROLE, roleId));
    expect(await why()).toMatchObject({ allowed: false, rule: 'no-entry' });
    await deleteRole(scene.owner, { guildId: scene.guildId, roleId });
    expect(await why()).toMatchObject({ allowed: false, rule: 'everyone-entry' });
    expect(await saidOf(app, scene.guildId, commandId)).toEqual([`1 ${scene.guildId} no`]);
  });

  test('still denies all other members: a channel', async () => {
    const { id: channelId } = await createChannel(scene.owner, scene.guildId, { name: 'mods' });
    await sayOfCommand(entry(OF_CHANNEL, channelId, false));
    await deleteChannel(scene.owner, channelId);
    expect(await why()).toMatchObject({ allowed: false, rule: 'everyone-entry' });
  });

  test('still denies all members if two of its roles are deleted at once', { tags: ['slow'] }, async () => {
    for (let round = 0; round < 10; round += 1) {
      const [first, second] = [await createMods(), await createMods()];
      await sayOfCommand(entry(OF_ROLE, first.id), entry(OF_ROLE, second.id));
      const deletes = [first, second].map(({ id }) => deleteRole(scene.owner, { guildId: scene.guildId, roleId: id }));
      await Promise.all(deletes);
      expect(await saidOf(app, scene.guildId, commandId)).toEqual([`1 ${scene.guildId} no`]);
    }
  });

  test("stays empty if it is the application's list, which then allows only the owner", async () => {
    const { id: roleId } = await createMods();
    await say(entry(OF_ROLE, roleId));
    await deleteRole(scene.owner, { guildId: scene.guildId, roleId });
    expect(await saidOf(app, scene.guildId, scene.applicationId)).toEqual([]);
    expect(await why()).toMatchObject({ allowed: false, rule: 'no-entry' });
  });
});

describe('the explanation of a decision', () => {
  test('is given to every user about themselves', async () => {
    expect(await why()).toMatchObject({ allowed: false, rule: 'no-entry' });
    expect(await why(scene.ada, scene.users.ada.id)).toMatchObject({ allowed: false, rule: 'no-entry' });
    expect(await why(scene.owner)).toMatchObject({ allowed: true, rule: 'owner' });
  });

  test('is given about others to members who manage the server', async () => {
    await say(entry(OF_USER, scene.users.ada.id));
    expect(await why(scene.owner, scene.users.ada.id)).toMatchObject({ allowed: true, rule: 'user-entry' });
    expect(await why(scene.owner, scene.users.outsider.id)).toMatchObject({ allowed: false, rule: 'not-a-member' });
    expect(await outcome(why(scene.ada, scene.guild.owner.id))).toBe('MISSING_PERMISSIONS');
    await permitEveryone(app, scene.guildId, Permission.ManageGuild | Permission.ViewChannel);
    expect(await why(scene.ada, scene.guild.owner.id)).toMatchObject({ allowed: true, rule: 'owner' });
  });

  test('is given for an uninstalled command to the developers of its application', async () => {
    const other = await createBot(app, { owner: scene.users.ada });
    const { id } = await putCommand(app, other.id);
    const ask = (call = scene.ada) => whyRunnable(call, { channelId: scene.channelId, commandId: id });
    expect(await ask()).toMatchObject({ allowed: false, rule: 'not-installed' });
    expect(await outcome(ask(scene.owner))).toBe('UNKNOWN_COMMAND');
    const ofOutsider = { channelId: scene.channelId, commandId: id, userId: scene.users.outsider.id };
    expect(await outcome(whyRunnable(scene.owner, ofOutsider))).toBe('UNKNOWN_COMMAND');
  });

  test('is refused for a hidden channel, an unknown command, and to a bot', async () => {
    expect(await outcome(why(scene.outsider))).toBe('UNKNOWN_CHANNEL');
    expect(await outcome(whyRunnable(scene.ada, { channelId: scene.channelId, commandId: 1n }))).toBe(
      'UNKNOWN_COMMAND',
    );
    expect(await outcome(why(callOf(app, scene.bot.user)))).toBe('FORBIDDEN');
  });
});
