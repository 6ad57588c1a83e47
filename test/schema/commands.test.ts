import { beforeEach, describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { putTeam } from '../harness/teams.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let stranger: Person;
let guild: MadeGuild;
let application: MadeApplication;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob, stranger] = [await signUp(server, 'ada'), await signUp(server, 'bob'), await signUp(server, 'stranger')];
  guild = await createGuild(ada);
});
beforeEach(async () => {
  application = await createApplication(ada, 'Helper');
  await install(ada, application, guild);
});

const COMMAND = `id type name nameLocalizations description descriptionLocalizations options defaultMemberPermissions nsfw
  integrationTypes contexts version reserved application { id } guild { id }`;
const CREATE = `mutation ($input: CreateCommandInput!) { createCommand(input: $input) { command { ${COMMAND} } } }`;
const UPDATE = `mutation ($input: UpdateCommandInput!) { updateCommand(input: $input) { command { ${COMMAND} } } }`;
const DELETE = 'mutation ($input: CommandIdInput!) { deleteCommand(input: $input) { id } }';
const OVERWRITE = `mutation ($input: OverwriteCommandsInput!) { overwriteCommands(input: $input) {
  applied digest plan { change type name fields changes { field before after } grantsLost } commands { id name version }
} }`;
const LIST = `query ($id: ID!, $guildId: ID) { application(id: $id) { commands(guildId: $guildId) { ${COMMAND} } } }`;

const of = (input: object) => ({ input: { applicationId: application.id, ...input } });
const chat = (name: string, more: object = {}) => ({ name, description: 'Does something', ...more });
const create = async (command: object, more: object = {}, person = ada): Promise<Loose> =>
  (await person.graphql(CREATE, of({ command, ...more }))).createCommand.command;
const list = async (person = ada, guildId?: string): Promise<Loose[]> =>
  (await person.graphql(LIST, { id: application.id, guildId })).application.commands;

describe('createCommand', () => {
  test('registers a command and returns all of its fields', async () => {
    const options = [{ type: 3, name: 'song', description: 'Which', name_localizations: { de: 'lied' } }];
    const command = await create(chat('play', { options, name_localizations: { de: 'spielen' }, contexts: [0] }));
    expect(command).toEqual({
      ...{ id: command.id, version: command.version, type: 'CHAT_INPUT', name: 'play', reserved: false },
      ...{ description: 'Does something', nameLocalizations: { de: 'spielen' }, descriptionLocalizations: null },
      ...{ options, defaultMemberPermissions: null, nsfw: false, integrationTypes: [0], contexts: [0] },
      ...{ application: { id: application.id }, guild: null },
    });
    expect(await list()).toEqual([command]);
    expect((await create(chat('play'))).id).toBe(command.id);
  });

  test('registers a command of a server', async () => {
    const command = await create({ name: 'Quote This', type: 3 }, { guildId: guild.id });
    expect(command).toMatchObject({ type: 'MESSAGE', guild: { id: guild.id }, options: [], description: '' });
    expect([await list(), await list(ada, guild.id)]).toEqual([[], [command]]);
  });

  test('reports errors by their path in the command', async () => {
    const { errors } = await ada.ask(CREATE, of({ command: chat('play', { options: [{ type: 3, name: 'A' }] }) }));
    expect(codeOf({ status: 200, data: null, errors })).toBe('BAD_USER_INPUT');
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual([
      'command.options.0.name',
      'command.options.0.description',
    ]);
  });

  test('refuses a reserved name and quotes it', async () => {
    const { errors } = await ada.ask(CREATE, of({ command: chat('Ban') }));
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('"Ban"'),
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(errors[0]?.extensions.fields).toMatchObject({
      'command.name': [{ code: 'APPLICATION_COMMAND_NAME_RESERVED', message: expect.stringContaining('"Ban"') }],
    });
  });
});

describe('updateCommand', () => {
  test("changes only the given fields, also of a server's command", async () => {
    const command = await create(chat('play', { nsfw: true }), { guildId: guild.id });
    const { updateCommand } = await ada.graphql(
      UPDATE,
      of({ commandId: command.id, command: { description: 'Anew' } }),
    );
    expect(updateCommand.command).toEqual({ ...command, description: 'Anew', version: updateCommand.command.version });
  });

  test('reports errors by their path in the command', async () => {
    const command = await create(chat('play'));
    const { errors } = await ada.ask(UPDATE, of({ commandId: command.id, command: { name: 'Kick', options: 5 } }));
    expect(errors[0]?.message).toContain('"Kick"');
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual(['command.name', 'command.options']);
    await create(chat('stop'));
    expect(codeOf(await ada.ask(UPDATE, of({ commandId: command.id, command: { name: 'stop' } })))).toBe('CONFLICT');
  });
});

test('deleteCommand deletes a command, and fails the second time', async () => {
  const command = await create(chat('play'));
  expect(await ada.graphql(DELETE, of({ commandId: command.id }))).toEqual({ deleteCommand: { id: command.id } });
  expect(codeOf(await ada.ask(DELETE, of({ commandId: command.id })))).toBe('NOT_FOUND');
  expect(await list()).toEqual([]);
});

describe('overwriteCommands', () => {
  const overwrite = async (commands: unknown, more: object = {}) =>
    (await ada.graphql(OVERWRITE, of({ commands, ...more }))).overwriteCommands;

  test('returns its plan in a dry run, and then applies it', async () => {
    const kept = await create(chat('kept'));
    const gone = await create({ name: 'Gone', type: 2 });
    const targets = { targetId: 1n, targetType: 2, allow: true };
    const granted = { applicationId: BigInt(application.id), commandId: BigInt(gone.id), guildId: BigInt(guild.id) };
    await server.app.db.writer.commandPermission.create({ data: { ...granted, ...targets } });
    const set = [chat('new'), chat('kept', { nsfw: true })];
    const NSFW = [{ field: 'nsfw', before: false, after: true }];
    const planned = await overwrite(set, { dryRun: true });
    expect(planned).toMatchObject({
      applied: false,
      plan: [
        { change: 'CREATED', type: 'CHAT_INPUT', name: 'new', fields: [], grantsLost: 0 },
        { change: 'CHANGED', type: 'CHAT_INPUT', name: 'kept', fields: ['nsfw'], changes: NSFW, grantsLost: 0 },
        { change: 'DELETED', type: 'USER', name: 'Gone', fields: [], grantsLost: 1 },
      ],
      commands: [{ id: kept.id, version: kept.version }, { id: gone.id }],
    });
    expect(await list()).toEqual([kept, gone]);
    const done = await overwrite(set);
    expect(done).toMatchObject({ applied: true, plan: planned.plan, commands: [{ id: kept.id }, { name: 'new' }] });
    expect((await list()).map(({ name }) => name)).toEqual(['kept', 'new']);
    expect((await overwrite(set)).plan).toMatchObject([{ change: 'UNCHANGED' }, { change: 'UNCHANGED' }]);
  });

  test('names the servers of the caller that lose permissions, and counts the others', async () => {
    const gone = await create(chat('gone'));
    const [mine, bobs, elsewhere] = [
      await createGuild(ada, 'Mine'),
      await createGuild(bob, 'Bobs'),
      await createGuild(bob),
    ];
    await invite(bob, bobs, ada);
    const key = { applicationId: BigInt(application.id), commandId: BigInt(gone.id) };
    const entries = [mine, mine, bobs, elsewhere].map(({ id }, index) => ({
      guildId: BigInt(id),
      targetId: BigInt(index),
    }));
    await server.app.db.writer.commandPermission.createMany({
      data: entries.map((entry) => ({ ...key, ...entry, targetType: 2, allow: true })),
    });
    const asked = `mutation ($input: OverwriteCommandsInput!) { overwriteCommands(input: $input) {
      digest plan { name grantsLost grantsLostIn { name } grantsLostElsewhere }
    } }`;
    const ask = async (more: object): Promise<Loose> =>
      (await ada.graphql(asked, of({ commands: [chat('new')], ...more }))).overwriteCommands;
    const plan = [
      { name: 'new', grantsLost: 0, grantsLostIn: [], grantsLostElsewhere: 0 },
      { name: 'gone', grantsLost: 4, grantsLostIn: [{ name: 'Mine' }, { name: 'Bobs' }], grantsLostElsewhere: 1 },
    ];
    const planned = await ask({ dryRun: true });
    expect(planned.plan).toEqual(plan);
    expect((await ask({ planDigest: planned.digest })).plan).toEqual(plan);
  });

  test('applies the plan that the caller reviewed, and refuses if another one would apply', async () => {
    const [kept, gone] = [await create(chat('kept')), await create(chat('gone'))];
    const set = [chat('kept', { nsfw: true })];
    const plan = async () => (await overwrite(set, { dryRun: true })).digest;
    const apply = async (planDigest: string, commands = set) =>
      codeOf(await ada.ask(OVERWRITE, of({ commands, planDigest })));
    const ofChanged = await plan();
    await ada.graphql(UPDATE, of({ commandId: gone.id, command: { description: 'Does another thing' } }));
    expect(await apply(ofChanged)).toBe('CONFLICT');
    const ofGranted = await plan();
    await server.app.db.writer.commandPermission.create({
      data: {
        ...{ applicationId: BigInt(application.id), commandId: BigInt(gone.id), guildId: BigInt(guild.id) },
        ...{ targetId: 1n, targetType: 2, allow: true },
      },
    });
    expect(await apply(ofGranted)).toBe('CONFLICT');
    const digest = await plan();
    expect(await apply(digest, [chat('kept')])).toBe('CONFLICT');
    expect((await list()).map(({ nsfw, id }) => [id, nsfw])).toEqual([
      [kept.id, false],
      [gone.id, false],
    ]);
    expect((await overwrite(set, { planDigest: digest })).digest).toBe(digest);
    expect((await list()).map(({ id, nsfw }) => [id, nsfw])).toEqual([[kept.id, true]]);
  });

  test('reports errors under the index of each command', async () => {
    const set = [chat('a'), chat('B'), chat('c', { options: [{ type: 3, name: 'x', description: '' }] })];
    for (const dryRun of [true, false]) {
      const { errors } = await ada.ask(OVERWRITE, of({ commands: set, dryRun }));
      const fields = ['commands.1.name', 'commands.2.options.0.description'];
      expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual(fields);
    }
    expect(await list()).toEqual([]);
  });

  test('replaces only the commands of one scope', async () => {
    await create(chat('everywhere'));
    await overwrite([chat('here')], { guildId: guild.id });
    expect((await list()).map(({ name }) => name)).toEqual(['everywhere']);
    expect((await list(ada, guild.id)).map(({ name }) => name)).toEqual(['here']);
  });
});

describe('access to commands', () => {
  const refusals = async (person: Person, commandId: string) => [
    codeOf(await person.ask(CREATE, of({ command: chat('x') }))),
    codeOf(await person.ask(UPDATE, of({ commandId, command: {} }))),
    codeOf(await person.ask(DELETE, of({ commandId }))),
    codeOf(await person.ask(OVERWRITE, of({ commands: [] }))),
    codeOf(await person.ask(OVERWRITE, of({ commands: [], dryRun: true }))),
  ];

  test('is refused to a user without a role, who gets NOT_FOUND', async () => {
    const command = await create(chat('play'));
    expect(new Set(await refusals(stranger, command.id))).toEqual(new Set(['NOT_FOUND']));
    expect(codeOf(await stranger.ask(LIST, { id: application.id }))).toBe('NOT_FOUND');
    expect(await list()).toEqual([command]);
  });

  test('is complete for a developer, and is limited to reading for a read-only member', async () => {
    const teamId = await putTeam(server, ada, [[bob, 'READ_ONLY']]);
    const own = { where: { id: BigInt(application.id) } };
    await server.app.db.writer.application.update({ ...own, data: { ownerTeamId: teamId, ownerUserId: null } });
    const command = await create(chat('play'));
    expect(await list(bob)).toEqual([command]);
    expect(new Set(await refusals(bob, command.id))).toEqual(new Set(['FORBIDDEN']));
    const member = { where: { teamId_userId: { teamId, userId: BigInt(bob.id) } } };
    await server.app.db.writer.teamMember.update({ ...member, data: { role: 'DEVELOPER' } });
    expect(await refusals(bob, command.id)).toEqual(Array(5).fill(undefined));
  });

  test('is refused through another application', async () => {
    const command = await create(chat('play'));
    const other = await createApplication(stranger);
    for (const [query, input] of [
      [UPDATE, { command: {} }],
      [DELETE, {}],
    ] as const) {
      const foreign = { input: { applicationId: other.id, commandId: command.id, ...input } };
      expect(codeOf(await stranger.ask(query, foreign))).toBe('NOT_FOUND');
    }
    expect(await list()).toEqual([command]);
  });

  test('is refused in a server without an installation, as in a missing one', async () => {
    const elsewhere = await createGuild(stranger);
    for (const guildId of [elsewhere.id, '1']) {
      expect(codeOf(await ada.ask(CREATE, of({ command: chat('x'), guildId })))).toBe('NOT_FOUND');
      expect(codeOf(await ada.ask(LIST, { id: application.id, guildId }))).toBe('NOT_FOUND');
    }
  });

  test('shows the server of a command only to members of that server', async () => {
    const elsewhere = await createGuild(stranger);
    await install(stranger, application, elsewhere);
    expect(await create(chat('there'), { guildId: elsewhere.id })).toMatchObject({ name: 'there', guild: null });
  });
});

test('a command is listed and marked if its name has become reserved', async () => {
  const command = await create(chat('play'));
  await server.app.db.writer.applicationCommand.update({ where: { id: BigInt(command.id) }, data: { name: 'poll' } });
  expect(await list()).toMatchObject([{ name: 'poll', reserved: true }]);
});

test('changes to commands appear in the audit log of the application', async () => {
  const command = await create(chat('play'));
  await ada.graphql(UPDATE, of({ commandId: command.id, command: { nsfw: true } }));
  await ada.graphql(OVERWRITE, of({ commands: [chat('other')] }));
  const { application: shown } = await ada.graphql(
    'query ($id: ID!) { application(id: $id) { auditLog { edges { node { action target changes } } } } }',
    { id: application.id },
  );
  expect(shown.auditLog.edges.map(({ node }: Loose) => node).slice(1)).toEqual([
    { action: 'COMMAND_CREATE', target: command.id, changes: { name: 'play', type: 1 } },
    { action: 'COMMAND_UPDATE', target: command.id, changes: { name: 'play', type: 1, fields: ['nsfw'] } },
    {
      action: 'COMMANDS_OVERWRITE',
      target: application.id,
      changes: {
        created: [{ id: expect.any(String), name: 'other', type: 1 }],
        changed: [],
        deleted: [{ id: command.id, name: 'play', type: 1 }],
      },
    },
  ]);
});

test('the commands of many applications are loaded together', async () => {
  await create(chat('play'));
  const { applications } = await ada.graphql('{ applications { id commands { name application { name } } } }');
  const found = applications.find(({ id }: { id: string }) => id === application.id);
  expect(found.commands).toEqual([{ name: 'play', application: { name: 'Helper' } }]);
});
