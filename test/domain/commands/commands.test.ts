import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { callContext } from '../../../src/context.js';
import { deleteApplication } from '../../../src/domain/applications/index.js';
import type { Actor, CallContext } from '../../../src/domain/call.js';
import { CommandSet } from '../../../src/domain/commands/body.js';
import {
  type CommandScope,
  deleteCommand,
  getCommand,
  LOCALES,
  listCommands,
  overwriteCommands,
  planOverwrite,
} from '../../../src/domain/commands/index.js';
import { NOTHING_LOST } from '../../../src/domain/commands/lost-grants.js';
import { removeExpiredRows } from '../../../src/domain/expired-rows.js';
import { uninstallApplication } from '../../../src/domain/installations/index.js';
import { parseInTurns } from '../../../src/domain/parse-input.js';
import { toldBy } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { roundsDuring } from '../../harness/turns.js';
import { addMember, callOf, createBot, createGuild, type TestBot, type TestGuild } from '../../harness/world.js';
import { chat, grant, grantsOf, namesIn, overwrite, patch, register } from './scene.js';

let app: AppContext;
let guild: TestGuild;
let bot: TestBot;
let call: CallContext;
let everywhere: CommandScope;
let there: CommandScope;

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  guild = await createGuild(app);
});
beforeEach(async () => {
  bot = await createBot(app, { owner: guild.owner, name: 'Helper' });
  await addMember(app, guild.id, bot.user);
  call = callOf(app, bot.user);
  everywhere = { applicationId: bot.id, guildId: null };
  there = { applicationId: bot.id, guildId: guild.id };
});

const many = (count: number, more: object = {}, from = 0) =>
  Array.from({ length: count }, (_, n) => chat(`c${n + from}`, { ...more }));
const menu = (count: number, type: number) => Array.from({ length: count }, (_, n) => ({ name: `Menu ${n}`, type }));

/** Options of about 440,000 characters as JSON, of which 7,700 count. */
const LARGE_OPTIONS = Array.from({ length: 25 }, (_, n) => ({
  type: 3,
  name: `o${n}`,
  description: 'x'.repeat(80),
  description_localizations: Object.fromEntries(LOCALES.map((locale) => [locale, 'y'.repeat(80)])),
  choices: Array.from({ length: 25 }, (_, at) => ({
    name: 'name',
    name_localizations: Object.fromEntries(LOCALES.map((locale) => [locale, 'choice'])),
    value: `${at}`,
  })),
}));

describe('registering a command', () => {
  test('creates it with the contexts of the application, and audits and publishes it once', async () => {
    const told = await toldBy(call, (telling) => register(telling, everywhere, chat('play')));
    const [command] = await listCommands(call, everywhere);
    expect(command).toMatchObject({ name: 'play', type: 1, integrationTypes: [0], contexts: null, nsfw: false });
    expect(told).toEqual({
      events: [{ type: 'COMMANDS_UPDATED', ...everywhere }],
      entries: [
        { action: 'COMMAND_CREATE', applicationId: bot.id, targetId: command?.id, changes: { name: 'play', type: 1 } },
      ],
      mails: [],
      locking: [true],
    });
  });

  test('replaces a command of the same type and name', async () => {
    const { command } = await register(call, everywhere, chat('play', { nsfw: true, default_member_permissions: '8' }));
    const again = await register(call, everywhere, chat('play', { description: 'Anew' }));
    expect(again.isNew).toBe(false);
    expect(again.command).toMatchObject({
      id: command.id,
      description: 'Anew',
      nsfw: false,
      defaultMemberPermissions: null,
    });
    expect(again.command.version).toBeGreaterThan(command.version);
  });

  test('without changes writes nothing', async () => {
    const body = chat('play', { options: [{ type: 3, name: 'song', description: 'Which', required: false }] });
    const { command } = await register(call, everywhere, body);
    const same = chat('play', { options: [{ name: 'song', description: 'Which', type: 3, choices: [] }], nsfw: null });
    const told = await toldBy(call, async (telling) => {
      expect((await register(telling, everywhere, same)).command.version).toBe(command.version);
    });
    expect([told.events, told.entries]).toEqual([[], []]);
  });

  test('does not conflict with another type, scope or application', async () => {
    const other = await createBot(app, { owner: guild.owner });
    await register(call, everywhere, chat('play'));
    expect((await register(call, everywhere, { name: 'play', type: 2 })).isNew).toBe(true);
    expect((await register(call, there, chat('play'))).isNew).toBe(true);
    expect(
      (await register(callOf(app, other.user), { applicationId: other.id, guildId: null }, chat('play'))).isNew,
    ).toBe(true);
  });

  test('in a guild ignores its contexts', async () => {
    const body = chat('play', { contexts: [1], integration_types: [1], dm_permission: false });
    expect((await register(call, there, body)).command).toMatchObject({
      scopeId: guild.id,
      integrationTypes: [0],
      contexts: null,
    });
  });
});

describe('changing a command', () => {
  test('keeps omitted fields, and always the type', async () => {
    const body = chat('play', {
      nsfw: true,
      contexts: [0],
      options: [{ type: 3, name: 'song', description: 'Which' }],
    });
    const { command } = await register(call, everywhere, body);
    const key = { ...everywhere, commandId: command.id };
    const told = await toldBy(call, (telling) => patch(telling, key, { description: 'Anew', type: 2, id: '1' }));
    const after = await getCommand(call, key);
    expect(after).toEqual({ ...command, description: 'Anew', version: after.version });
    expect(after.version).not.toBe(command.version);
    expect(told.entries).toMatchObject([
      { action: 'COMMAND_UPDATE', targetId: command.id, changes: { name: 'play', type: 1, fields: ['description'] } },
    ]);
  });

  test('without changes writes nothing', async () => {
    const { command } = await register(call, everywhere, chat('play', { dm_permission: false }));
    const key = { ...everywhere, commandId: command.id };
    for (const body of [{}, { future: 1 }, { name: 'play' }, { dm_permission: false }]) {
      expect(await patch(call, key, body)).toEqual(command);
    }
  });

  test.each([
    [{ dm_permission: false }, { dm_permission: true }, null],
    [{}, { dm_permission: false }, [0]],
    [{ contexts: [0, 1] }, { dm_permission: true }, [0, 1]],
    [{ contexts: [0, 1, 2] }, { dm_permission: false }, [0, 2]],
    [{ contexts: [1] }, { dm_permission: false }, [0]],
    [{ contexts: [0] }, { contexts: null }, null],
    [{ contexts: [0] }, { contexts: [1], dm_permission: false }, [1]],
  ])('of %j by %j results in the contexts %j', async (made, change, contexts) => {
    const { command } = await register(call, everywhere, chat('play', made));
    expect((await patch(call, { ...everywhere, commandId: command.id }, change)).contexts).toEqual(contexts);
  });

  test('to a taken or reserved name is refused', async () => {
    const { command } = await register(call, everywhere, chat('play'));
    await register(call, everywhere, chat('stop'));
    await register(call, everywhere, { name: 'quote', type: 3 });
    const key = { ...everywhere, commandId: command.id };
    expect(await outcome(patch(call, key, { name: 'stop' }))).toBe('COMMAND_NAME_TAKEN');
    await expect(patch(call, key, { name: 'Kick' })).rejects.toThrow('"Kick"');
    expect(await outcome(patch(call, key, { name: 'quote' }))).toBe('ok');
  });

  test('whose name has become reserved may keep the name, or replace it', async () => {
    const { command } = await register(call, everywhere, chat('play'));
    await app.db.writer.applicationCommand.update({ where: { id: command.id }, data: { name: 'poll' } });
    const key = { ...everywhere, commandId: command.id };
    expect((await patch(call, key, { description: 'Anew' })).name).toBe('poll');
    expect(await namesIn(app, everywhere)).toEqual(['poll']);
    await expect(patch(call, key, { name: 'poll' })).rejects.toThrow('reserved');
    expect((await patch(call, key, { name: 'survey' })).name).toBe('survey');
  });

  test('follows the rules of its type', async () => {
    const { command } = await register(call, everywhere, { name: 'Quote This', type: 3 });
    const key = { ...everywhere, commandId: command.id };
    expect(await outcome(patch(call, key, { description: 'None' }))).toBe('INVALID_INPUT');
    expect((await patch(call, key, { name: 'Quote That' })).name).toBe('Quote That');
  });

  test('deletes its permissions if the name changes, and keeps them otherwise', async () => {
    const { command } = await register(call, everywhere, chat('play'));
    await grant(app, command, guild.id);
    const key = { ...everywhere, commandId: command.id };
    await patch(call, key, { description: 'Anew' });
    expect(await grantsOf(app, command)).toBe(1);
    await patch(call, key, { name: 'sing' });
    expect(await grantsOf(app, command)).toBe(0);
  });
});

describe('deleting a command', () => {
  test('deletes its permissions too, and is audited', async () => {
    const { command } = await register(call, there, chat('play'));
    await grant(app, command, guild.id);
    const key = { ...there, commandId: command.id };
    const told = await toldBy(call, (telling) => deleteCommand(telling, key));
    expect(await grantsOf(app, command)).toBe(0);
    expect(told.entries).toMatchObject([
      { action: 'COMMAND_DELETE', guildId: guild.id, changes: { name: 'play', type: 1 } },
    ]);
    expect(await outcome(deleteCommand(call, key))).toBe('UNKNOWN_COMMAND');
  });

  test('is limited to its own scope', async () => {
    const { command } = await register(call, everywhere, chat('play'));
    expect(await outcome(deleteCommand(call, { ...there, commandId: command.id }))).toBe('UNKNOWN_COMMAND');
    expect(await outcome(deleteCommand(call, { applicationId: bot.id, commandId: command.id }))).toBe('ok');
  });

  test('happens with its application, and the daily count is deleted too', async () => {
    const { command } = await register(call, everywhere, chat('play'));
    await grant(app, command, guild.id);
    await deleteApplication(callOf(app, guild.owner), { applicationId: bot.id, name: 'Helper' });
    expect(await namesIn(app, everywhere)).toEqual([]);
    expect(await grantsOf(app, command)).toBe(0);
    expect(await app.db.reader.commandQuota.count({ where: { applicationId: bot.id } })).toBe(0);
    expect(await outcome(register(call, everywhere, chat('play')))).toBe('UNKNOWN_APPLICATION');
  });
});

describe('overwriting the commands of a scope', () => {
  test('keeps ids of matching commands and versions of unchanged ones, and deletes the others', async () => {
    const before = (await overwrite(call, everywhere, [chat('a'), chat('b'), chat('c'), { name: 'M', type: 3 }]))
      .commands;
    const told = await toldBy(call, async (telling) => {
      const { plan, commands } = await overwrite(telling, everywhere, [
        chat('d'),
        chat('b', { nsfw: true }),
        chat('a'),
      ]);
      expect(plan).toEqual([
        { change: 'CREATED', type: 1, name: 'd', changes: [], ...NOTHING_LOST },
        {
          change: 'CHANGED',
          type: 1,
          name: 'b',
          changes: [{ field: 'nsfw', before: false, after: true }],
          ...NOTHING_LOST,
        },
        { change: 'UNCHANGED', type: 1, name: 'a', changes: [], ...NOTHING_LOST },
        { change: 'DELETED', type: 1, name: 'c', changes: [], ...NOTHING_LOST },
        { change: 'DELETED', type: 3, name: 'M', changes: [], ...NOTHING_LOST },
      ]);
      expect(commands.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
      expect(commands[0]).toEqual(before[0]);
      expect(commands[1]).toMatchObject({ id: before[1]?.id, nsfw: true });
      expect(commands[1]?.version).not.toBe(before[1]?.version);
    });
    expect(told.events).toEqual([{ type: 'COMMANDS_UPDATED', ...everywhere }]);
    expect(told.entries).toMatchObject([
      {
        action: 'COMMANDS_OVERWRITE',
        targetId: bot.id,
        changes: { created: [{ name: 'd' }], changed: [{ name: 'b' }], deleted: [{ name: 'c' }, { name: 'M' }] },
      },
    ]);
  });

  test('with an equal set writes nothing', async () => {
    const set = [chat('a', { name_localizations: { de: 'b', fr: 'c' } }), chat('b', { contexts: [0, 1] })];
    const before = await overwrite(call, everywhere, set);
    const told = await toldBy(call, async (telling) => {
      expect((await overwrite(telling, everywhere, set.toReversed())).commands).toEqual(before.commands);
    });
    expect([told.events, told.entries]).toEqual([[], []]);
  });

  test('does not change other scopes', async () => {
    await overwrite(call, everywhere, [chat('a')]);
    await overwrite(call, there, [chat('b')]);
    await overwrite(call, there, []);
    expect([await namesIn(app, everywhere), await namesIn(app, there)]).toEqual([['a'], []]);
  });

  test('deletes the permissions of deleted commands', async () => {
    const { commands } = await overwrite(call, everywhere, [chat('a'), chat('b')]);
    for (const command of commands) await grant(app, command, guild.id);
    const { plan } = await overwrite(call, everywhere, [chat('b', { nsfw: true })]);
    expect(plan.map(({ grantsLost }) => grantsLost)).toEqual([0, 1]);
    expect(await Promise.all(commands.map((command) => grantsOf(app, command)))).toEqual([0, 1]);
  });

  test('yields before each part of a large set, and before the response', async () => {
    const set = await parseInTurns(CommandSet, many(100));
    // Five statements, the comparison, and the ten rounds of one yield.
    expect(await roundsDuring(() => overwriteCommands(call, everywhere, set))).toBeGreaterThanOrEqual(16);
  });

  test('can be planned without a change', async () => {
    const { commands } = await overwrite(call, everywhere, [chat('a'), chat('b')]);
    for (const guildId of [1n, 2n]) await grant(app, { id: commands[0]?.id ?? 0n, applicationId: bot.id }, guildId);
    const planned = await planOverwrite(call, everywhere, await parseInTurns(CommandSet, [chat('c'), chat('b')]));
    expect(planned.plan).toEqual([
      { change: 'CREATED', type: 1, name: 'c', changes: [], ...NOTHING_LOST },
      { change: 'UNCHANGED', type: 1, name: 'b', changes: [], ...NOTHING_LOST },
      { change: 'DELETED', type: 1, name: 'a', changes: [], grantsLost: 2, grantsLostIn: [], grantsLostElsewhere: 2 },
    ]);
    expect(planned.commands).toEqual(commands);
    expect(await listCommands(call, everywhere)).toEqual(commands);
  });
});

describe('a scope holds at most', () => {
  test('100 chat commands, and 15 commands of each context menu', async () => {
    await overwrite(call, everywhere, [...many(100), ...menu(15, 2), ...menu(15, 3)]);
    for (const body of [chat('more'), { name: 'More', type: 2 }, { name: 'More', type: 3 }]) {
      expect(await outcome(register(call, everywhere, body))).toBe('TOO_MANY_COMMANDS');
    }
    expect(await outcome(register(call, everywhere, chat('c5', { nsfw: true })))).toBe('ok');
    expect(await outcome(register(call, there, chat('more')))).toBe('ok');
    for (const set of [many(101), menu(16, 2), menu(16, 3)]) {
      expect(await outcome(overwrite(call, everywhere, set))).toBe('TOO_MANY_COMMANDS');
      const planned = planOverwrite(call, everywhere, await parseInTurns(CommandSet, set));
      expect(await outcome(planned)).toBe('TOO_MANY_COMMANDS');
    }
  });

  test('one mebibyte of JSON in total, in each kind of write', async () => {
    const large = (name: string) => chat(name, { options: LARGE_OPTIONS });
    const { commands } = await overwrite(call, everywhere, [large('a'), large('b'), chat('c')]);
    expect(await outcome(register(call, everywhere, large('d')))).toBe('TOO_MANY_COMMANDS');
    expect(await outcome(register(call, everywhere, large('c')))).toBe('TOO_MANY_COMMANDS');
    const third = { ...everywhere, commandId: commands[2]?.id ?? 0n };
    expect(await outcome(patch(call, third, { options: LARGE_OPTIONS }))).toBe('TOO_MANY_COMMANDS');
    expect(await outcome(patch(call, third, { nsfw: true }))).toBe('ok');
    expect(await outcome(register(call, there, large('d')))).toBe('ok');
  });
});

describe('the daily limit', () => {
  test('is 200 new commands per scope; changes do not count, and it restarts the next day', async () => {
    await overwrite(call, everywhere, many(100));
    await overwrite(call, everywhere, many(99, {}, 100));
    await overwrite(call, everywhere, many(99, { nsfw: true }, 100));
    expect(await outcome(register(call, everywhere, chat('last')))).toBe('ok');
    expect(await outcome(register(call, everywhere, chat('last', { nsfw: true })))).toBe('ok');
    await deleteCommand(call, { ...everywhere, commandId: (await listCommands(call, everywhere))[0]?.id ?? 0n });
    expect(await outcome(register(call, everywhere, chat('more')))).toBe('TOO_MANY_COMMAND_CREATES');
    const set = [chat('more')];
    expect(await outcome(overwrite(call, everywhere, set))).toBe('TOO_MANY_COMMAND_CREATES');
    expect(await outcome(planOverwrite(call, everywhere, await parseInTurns(CommandSet, set)))).toBe(
      'TOO_MANY_COMMAND_CREATES',
    );
    expect(await namesIn(app, everywhere)).toHaveLength(99);
    expect(await outcome(register(call, there, chat('more')))).toBe('ok');
    const tomorrow = { ...call, clock: { ...app.clock, now: () => app.clock.now() + 86_400_000 } };
    expect(await outcome(register(tomorrow, everywhere, chat('more')))).toBe('ok');
  });

  test('has a count that is deleted two days later', async () => {
    await register(call, everywhere, chat('play'));
    const left = async (days: number) => {
      const clock = { ...app.clock, now: () => app.clock.now() + days * 86_400_000 };
      await removeExpiredRows(app.db, clock, new AbortController().signal);
      return app.db.reader.commandQuota.count({ where: { applicationId: bot.id } });
    };
    expect([await left(0), await left(1), await left(2)]).toEqual([1, 1, 0]);
  });
});

describe('the commands of an application', () => {
  const asToken = (more: Partial<Extract<Actor, { kind: 'token' }>> = {}) =>
    callContext(app, {
      ...{ kind: 'token', user: guild.owner, applicationId: bot.id, expiresAt: new Date() },
      ...{ scopes: ['applications.commands'], clientCredentials: true },
      ...more,
    });

  const attempts = async (caller: CallContext, scope = everywhere) => [
    await outcome(listCommands(caller, scope)),
    await outcome(register(caller, scope, chat('play'))),
    await outcome(overwrite(caller, scope, [chat('play')])),
    await outcome(planOverwrite(caller, scope, [])),
  ];

  test('are accessible to its bot, its own token, and users with a sufficient role', async () => {
    for (const caller of [call, asToken(), callOf(app, guild.owner)]) {
      expect(await attempts(caller)).toEqual(['ok', 'ok', 'ok', 'ok']);
      expect(await attempts(caller, there)).toEqual(['ok', 'ok', 'ok', 'ok']);
    }
  });

  test('are refused to another application, and to a token that a user granted', async () => {
    const other = await createBot(app, { owner: guild.owner });
    const refused = [
      callOf(app, other.user),
      asToken({ applicationId: other.id }),
      asToken({ clientCredentials: false }),
      asToken({ scopes: ['identify'] }),
    ];
    for (const caller of refused) {
      expect(new Set(await attempts(caller))).toEqual(new Set(['NOT_OWN_APPLICATION']));
    }
  });

  test('are refused to other users', async () => {
    const anonymous = callContext(app, { kind: 'anonymous' });
    expect(new Set(await attempts(anonymous))).toEqual(new Set(['UNAUTHENTICATED']));
    const stranger = callOf(app, await createPerson(app));
    expect(new Set(await attempts(stranger))).toEqual(new Set(['UNKNOWN_APPLICATION']));
  });

  test('are accessible in a guild only while it is installed there, but stay stored', async () => {
    await register(call, there, chat('play'));
    const where = { applicationId_guildId: { applicationId: bot.id, guildId: guild.id } };
    const { id } = await app.db.reader.installation.findUniqueOrThrow({ where });
    await uninstallApplication(callOf(app, guild.owner), id);
    expect(new Set(await attempts(call, there))).toEqual(new Set(['MISSING_ACCESS']));
    expect(new Set(await attempts(callOf(app, guild.owner), there))).toEqual(new Set(['UNKNOWN_GUILD']));
    expect(await namesIn(app, there)).toEqual(['play']);
    const nowhere = { applicationId: bot.id, guildId: 1n };
    expect(new Set(await attempts(call, nowhere))).toEqual(new Set(['UNKNOWN_GUILD']));
  });
});
