import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { deleteApplication, updateApplication } from '../../../src/domain/applications/index.js';
import { ApplicationViews } from '../../../src/domain/applications/views.js';
import { findRunnableCommand, setCommandPermissions } from '../../../src/domain/command-permissions/index.js';
import { deleteCommand } from '../../../src/domain/commands/index.js';
import { installApplication, uninstallApplication } from '../../../src/domain/installations/index.js';
import { ManualClock } from '../../harness/clock.js';
import { entry, OF_USER } from '../../harness/command-rows.js';
import { it } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { statementsOf } from '../../harness/statements.js';
import { callOf } from '../../harness/world.js';
import { type CommandScene, openScene } from '../command-permissions/scene.js';
import { chat, overwrite, patch, register } from '../commands/scene.js';

let app: AppContext;
let scene: CommandScene;
let commandId: bigint;

it.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  scene = await openScene(app);
  const { command } = await register(callOf(app, scene.bot.user), everywhere(), chat('roll', BOTH));
  commandId = command.id;
  await run();
  await run(scene.owner);
});

const BOTH = { integration_types: [0, 1] };
const everywhere = () => ({ applicationId: scene.applicationId, guildId: null });
const run = (call = scene.ada) => outcome(findRunnableCommand(call, { channelId: scene.channelId, commandId }));
const bot = () => callOf(app, scene.bot.user);
const developer = () => callOf(app, scene.bot.owner);
const say = (...entries: ReturnType<typeof entry>[]) =>
  setCommandPermissions(scene.owner, { guildId: scene.guildId, applicationId: scene.applicationId, entries });
const installationOf = (where: { guildId: bigint } | { userId: bigint }) =>
  app.db.reader.installation.findFirstOrThrow({ where: { applicationId: scene.applicationId, ...where } });

describe('the cached data of an application is updated at once', () => {
  it('if its guild changes the permissions of a command', async () => {
    expect(await run()).toBe('MISSING_PERMISSIONS');
    await say(entry(OF_USER, scene.users.ada.id));
    expect(await run()).toBe('ok');
    await say(entry(OF_USER, scene.users.ada.id, false));
    expect(await run()).toBe('MISSING_PERMISSIONS');
  });

  it('if it is uninstalled from a guild, and if it is installed again', async () => {
    expect(await run(scene.owner)).toBe('ok');
    await uninstallApplication(scene.owner, (await installationOf({ guildId: scene.guildId })).id);
    expect(await run(scene.owner)).toBe('UNKNOWN_COMMAND');
    const { applicationId, guildId } = scene;
    await installApplication(scene.owner, { applicationId, guildId, scopes: ['applications.commands'] });
    expect(await run(scene.owner)).toBe('ok');
  });

  it('if a user installs it, if user installs are disabled, and if the user uninstalls it', async () => {
    const { applicationId, users } = scene;
    await updateApplication(developer(), { applicationId, userInstall: true });
    await installApplication(scene.ada, { applicationId, scopes: ['applications.commands'] });
    expect(await run()).toBe('ok');
    await updateApplication(developer(), { applicationId, userInstall: false });
    expect(await run()).toBe('MISSING_PERMISSIONS');
    await updateApplication(developer(), { applicationId, userInstall: true });
    expect(await run()).toBe('ok');
    await uninstallApplication(scene.ada, (await installationOf({ userId: users.ada.id })).id);
    expect(await run()).toBe('MISSING_PERMISSIONS');
  });

  it('if the command is changed, and if it is deleted', async () => {
    await patch(bot(), { ...everywhere(), commandId }, { name: 'throw' });
    expect((await app.applications.command(commandId))?.command.name).toBe('throw');
    await deleteCommand(bot(), { ...everywhere(), commandId });
    expect(await run(scene.owner)).toBe('UNKNOWN_COMMAND');
  });

  it('if its commands are overwritten', async () => {
    await overwrite(bot(), everywhere(), [chat('roll', { ...BOTH, nsfw: true })]);
    expect(await run(scene.owner)).toBe('MISSING_PERMISSIONS');
    await overwrite(bot(), everywhere(), [chat('other')]);
    expect(await run(scene.owner)).toBe('UNKNOWN_COMMAND');
  });

  it('if it is renamed, and if it is deleted', async () => {
    const { applicationId } = scene;
    await updateApplication(developer(), { applicationId, name: 'Heron' });
    const view = await app.applications.command(commandId);
    expect(view?.application).toMatchObject({ name: 'Heron', bot: { username: 'Heron' } });
    await deleteApplication(developer(), { applicationId, name: 'Heron' });
    expect(await app.applications.application(applicationId)).toBeNull();
    expect(await run(scene.owner)).toBe('UNKNOWN_COMMAND');
  });
});

it('an application is loaded only once for several readers', async () => {
  const views = new ApplicationViews(app.db.reader, app.bus, app.clock);
  const { applicationId, guildId, users } = scene;
  const ask = () =>
    Promise.all([
      views.command(commandId),
      views.installations(applicationId, guildId, users.ada.id),
      views.permissions(applicationId, guildId, commandId),
    ]);
  const first = await statementsOf(() => Promise.all([ask(), ask(), ask()]));
  expect(await statementsOf(ask)).toEqual([]);
  // The command's application id, the command, the application, its bot, its installations and its permissions.
  expect(first).toHaveLength(6);
});

it('an application is loaded again after half a minute, even without an event', async () => {
  const clock = new ManualClock();
  const views = new ApplicationViews(app.db.reader, app.bus, clock);
  const { applicationId, guildId, users } = scene;
  const ask = async () => ({
    name: (await views.command(commandId))?.command.name,
    guild: (await views.installations(applicationId, guildId, users.ada.id)).guild,
    permissions: (await views.permissions(applicationId, guildId, commandId)).length,
  });
  const before = { name: 'roll', guild: true, permissions: 0 };
  expect(await ask()).toEqual(before);
  const { writer } = app.db;
  await writer.applicationCommand.update({ where: { id: commandId }, data: { name: 'throw' } });
  await writer.installation.deleteMany({ where: { applicationId } });
  await writer.commandPermission.create({
    data: { guildId, applicationId, commandId, targetId: 1n, targetType: OF_USER, allow: true },
  });
  clock.advance(29_999);
  expect(await ask()).toEqual(before);
  clock.advance(1);
  expect(await ask()).toEqual({ name: 'throw', guild: false, permissions: 1 });
});

it('an unknown command is returned as null and not cached', async () => {
  const id = app.nextId();
  expect(await app.applications.command(id)).toBeNull();
  const { applicationId } = scene;
  await app.db.writer.applicationCommand.create({
    data: { id, applicationId, name: 'late', options: [], integrationTypes: [0], version: id },
  });
  expect(await app.applications.command(id)).toMatchObject({ command: { id }, application: { id: applicationId } });
});
