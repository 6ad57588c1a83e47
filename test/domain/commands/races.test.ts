import { beforeEach, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { type CommandScope, deleteCommand, listCommands } from '../../../src/domain/commands/index.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { callOf, createBot, type TestBot } from '../../harness/world.js';
import { chat, grant, grantsOf, namesIn, overwrite, patch, register } from './scene.js';

let app: AppContext;
let bot: TestBot;
let call: CallContext;
let scope: CommandScope;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  bot = await createBot(app);
  call = callOf(app, bot.user);
  scope = { applicationId: bot.id, guildId: null };
});

const at = <T>(count: number, attempt: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => attempt(index)));
const set = (letter: string, count: number) => Array.from({ length: count }, (_, n) => chat(`${letter}${n}`));
const createdToday = async () =>
  (await app.db.reader.commandQuota.findFirst({ where: { applicationId: bot.id } }))?.created;

test('twenty registrations of one name at once create one command with one id', async () => {
  const made = await at(20, (n) => register(call, scope, chat('play', { description: `By ${n}` })));
  expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(made.map(({ command }) => command.id)).size).toBe(1);
  expect(await namesIn(app, scope)).toEqual(['play']);
  expect(await createdToday()).toBe(1);
});

test('exactly one of ten registrations takes the last place', async () => {
  await overwrite(call, scope, set('c', 99));
  const outcomes = await at(10, (n) => outcome(register(call, scope, chat(`last${n}`))));
  expect(outcomes.filter((each) => each === 'ok')).toHaveLength(1);
  expect(outcomes.filter((each) => each === 'TOO_MANY_COMMANDS')).toHaveLength(9);
  expect(await namesIn(app, scope)).toHaveLength(100);
  expect(await createdToday()).toBe(100);
});

test('exactly one of ten overwrites takes the last creation of the day', async () => {
  await overwrite(call, scope, set('a', 100));
  await overwrite(call, scope, set('b', 99));
  const outcomes = await at(10, (n) => outcome(overwrite(call, scope, [...set('b', 20), chat(`last${n}`)])));
  expect(outcomes.filter((each) => each === 'ok')).toHaveLength(1);
  expect(outcomes.filter((each) => each === 'TOO_MANY_COMMAND_CREATES')).toHaveLength(9);
  expect(await createdToday()).toBe(200);
});

test('overwrites at once leave exactly one complete set', async () => {
  const letters = ['a', 'b', 'c', 'd', 'e'];
  const done = await Promise.all(letters.map((letter) => overwrite(call, scope, set(letter, 8))));
  const names = await namesIn(app, scope);
  const left = letters.filter((letter) => names.every((name) => name.startsWith(letter)));
  expect(left).toHaveLength(1);
  expect(names).toHaveLength(8);
  for (const { commands } of done) expect(new Set(commands.map(({ name }) => name[0])).size).toBe(1);
});

test('exactly one of five changes to one free name succeeds', async () => {
  const { commands } = await overwrite(call, scope, set('c', 5));
  const outcomes = await Promise.all(
    commands.map(({ id }) => outcome(patch(call, { ...scope, commandId: id }, { name: 'taken' }))),
  );
  expect(outcomes.toSorted()).toEqual([...Array(4).fill('COMMAND_NAME_TAKEN'), 'ok']);
});

test('exactly one of the deletions at once succeeds, and no permissions remain', async () => {
  const { command } = await register(call, scope, chat('play'));
  await grant(app, command, 1n);
  const outcomes = await at(5, () => outcome(deleteCommand(call, { ...scope, commandId: command.id })));
  expect(outcomes.toSorted()).toEqual([...Array(4).fill('UNKNOWN_COMMAND'), 'ok']);
  expect(await grantsOf(app, command)).toBe(0);
  expect(await listCommands(call, scope)).toEqual([]);
});
