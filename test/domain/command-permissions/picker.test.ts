import { ApplicationCommandType } from 'discord-api-types/v10';
import fc from 'fast-check';
import { beforeEach, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { runnableCommandIds, whyRunnable } from '../../../src/domain/command-permissions/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import { limits } from '../../../src/domain/limits.js';
import { entry, OF_CHANNEL, OF_ROLE, OF_USER, putCommand, putPermissions } from '../../harness/command-rows.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { statementsOf } from '../../harness/statements.js';
import { createBot } from '../../harness/world.js';
import { type CommandScene, installToPerson, openScene } from './scene.js';

let app: AppContext;
let scene: CommandScene;

test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  scene = await openScene(app);
});

const shown = async (call: CallContext, type?: ApplicationCommandType) => {
  const ids = await runnableCommandIds(call, { channelId: scene.channelId, type });
  const rows = await app.db.reader.applicationCommand.findMany({ where: { id: { in: ids } } });
  return ids.map((id) => rows.find((row) => row.id === id)?.name);
};
const put = (name: string, more: object = {}) => putCommand(app, scene.applicationId, { name, ...more });
const say = (commandId: bigint, ...entries: Parameters<typeof putPermissions>[2][]) =>
  putPermissions(app, { guildId: scene.guildId, applicationId: scene.applicationId, commandId }, ...entries);

test('the picker lists exactly the commands that the caller can run, by name', async () => {
  const { id: denied } = await put('denied');
  await put('roll');
  await put('dice', { scopeId: scene.guildId });
  await put('roll', { scopeId: scene.guildId });
  await put('kick');
  await put('elsewhere', { scopeId: 1n });
  await put('direct', { contexts: [1] });
  await putCommand(app, (await createBot(app)).id, { name: 'absent' });
  expect(await shown(scene.owner)).toEqual(['denied', 'dice', 'roll', 'roll']);
  expect(await shown(scene.ada)).toEqual([]);
  await say(scene.applicationId, entry(OF_ROLE, scene.guildId));
  await say(denied, entry(OF_USER, scene.users.ada.id, false));
  expect(await shown(scene.ada)).toEqual(['dice', 'roll', 'roll']);
});

test('the picker can list the commands of one type', async () => {
  await put('chat');
  await put('Look at', { type: ApplicationCommandType.User });
  expect(await shown(scene.owner)).toEqual(['Look at', 'chat']);
  expect(await shown(scene.owner, ApplicationCommandType.User)).toEqual(['Look at']);
  expect(await shown(scene.owner, ApplicationCommandType.Message)).toEqual([]);
});

test('a command that a user installed for themselves is listed for them only', async () => {
  const { id } = await createBot(app);
  await putCommand(app, id, { name: 'mine', integrationTypes: [1] });
  await putCommand(app, id, { name: 'for-servers', integrationTypes: [0] });
  await installToPerson(app, id, scene.users.ada);
  expect(await shown(scene.ada)).toEqual(['mine']);
  expect(await shown(scene.owner)).toEqual([]);
});

test('the picker is refused to users who cannot see the channel', async () => {
  expect(await outcome(shown(scene.outsider))).toBe('UNKNOWN_CHANNEL');
});

test('the picker takes the same number of statements for few and many commands', async () => {
  const count = () => statementsOf(() => runnableCommandIds(scene.owner, { channelId: scene.channelId }));
  await put('one');
  await count();
  const few = await count();
  for (let n = 0; n < 5; n += 1) {
    const { id } = await createBot(app);
    await installApplication(scene.owner, {
      applicationId: id,
      guildId: scene.guildId,
      scopes: ['applications.commands'],
    });
    const data = Array.from({ length: 40 }, (_, at) => ({ id: app.nextId(), name: `c${at}`, at }));
    await app.db.writer.applicationCommand.createMany({
      data: data.map(({ id: own, name }) => ({
        id: own,
        applicationId: id,
        name,
        options: [],
        integrationTypes: [0],
        version: own,
      })),
    });
    await putPermissions(
      app,
      { guildId: scene.guildId, applicationId: id, commandId: id },
      entry(OF_ROLE, scene.guildId),
    );
  }
  const many = await count();
  expect(many).toHaveLength(few.length);
  expect(few.length).toBeLessThan(7);
  expect(await runnableCommandIds(scene.ada, { channelId: scene.channelId })).toHaveLength(200);
});

test('the picker lists no more commands than the limit', async () => {
  const data = Array.from({ length: limits.commandsShown + 20 }, (_, n) => ({ id: app.nextId(), name: `c${n}` }));
  for (let at = 0; at < data.length; at += 500) {
    await app.db.writer.applicationCommand.createMany({
      data: data.slice(at, at + 500).map(({ id, name }) => ({
        ...{ id, name, applicationId: scene.applicationId },
        ...{ options: [], integrationTypes: [0], version: id },
      })),
    });
  }
  expect(await runnableCommandIds(scene.owner, { channelId: scene.channelId })).toHaveLength(limits.commandsShown);
});

test('the picker and the explanation agree for any permissions', async () => {
  const commands = [
    await put('a'),
    await put('b', { scopeId: scene.guildId }),
    await put('c', { integrationTypes: [0, 1] }),
    await put('ban'),
  ];
  const lists = [...commands.map(({ id }) => id), scene.applicationId];
  const { id: adaId } = scene.users.ada;
  const said = fc.subarray([
    entry(OF_USER, adaId, true),
    entry(OF_USER, scene.users.outsider.id, true),
    entry(OF_ROLE, scene.guildId, true),
    entry(OF_CHANNEL, scene.channelId, true),
    entry(OF_CHANNEL, scene.guildId - 1n, false),
  ]);
  const flipped = fc
    .tuple(said, fc.boolean())
    .map(([entries, flip]) => entries.map((one) => ({ ...one, allow: one.allow !== flip })));
  await fc.assert(
    fc.asyncProperty(fc.array(flipped, { minLength: lists.length, maxLength: lists.length }), async (all) => {
      for (const [index, id] of lists.entries()) await say(id, ...(all[index] ?? []));
      const ids = await runnableCommandIds(scene.ada, { channelId: scene.channelId });
      for (const { id: commandId } of commands) {
        const { allowed } = await whyRunnable(scene.ada, { channelId: scene.channelId, commandId });
        expect(ids.includes(commandId)).toBe(allowed);
      }
    }),
    { numRuns: 40 },
  );
});
