import { beforeEach, describe, expect } from 'vitest';
import { putCommand } from '../harness/command-rows.js';
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

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let application: MadeApplication;
let commandId: string;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  application = await createApplication(ada);
});
beforeEach(async () => {
  guild = await createGuild(ada);
  await install(ada, application, guild);
  await invite(ada, guild, bob);
  await server.app.db.writer.applicationCommand.deleteMany();
  commandId = String((await putCommand(server.app, BigInt(application.id), { name: 'roll' })).id);
});

const PICKER = `query ($channelId: ID!, $type: CommandType) {
  runnableCommands(channelId: $channelId, type: $type) { id name }
}`;
const WHY = `query ($channelId: ID!, $commandId: ID!, $userId: ID) {
  whyRunnable(channelId: $channelId, commandId: $commandId, userId: $userId) { allowed rule steps }
}`;
const LIST = `query ($guildId: ID!, $applicationId: ID!, $commandId: ID) {
  commandPermissions(guildId: $guildId, applicationId: $applicationId, commandId: $commandId)
}`;
const SET = `mutation ($input: SetCommandPermissionsInput!) { setCommandPermissions(input: $input) { permissions } }`;

const picked = async (person: Person, type?: string) => {
  const { runnableCommands } = await person.graphql(PICKER, { channelId: guild.textChannelId, type });
  return runnableCommands.map(({ name }: { name: string }) => name);
};
const why = (person: Person, userId?: string) => person.ask(WHY, { channelId: guild.textChannelId, commandId, userId });
const key = () => ({ guildId: guild.id, applicationId: application.id });
const list = (person: Person, id?: string) => person.ask(LIST, { ...key(), commandId: id });
const set = (person: Person, permissions: object[], id?: string) =>
  person.ask(SET, { input: { ...key(), commandId: id, permissions } });

describe('a command', () => {
  test('appears in the picker once it is granted, and whyRunnable explains why', async () => {
    expect(await picked(ada)).toEqual(['roll']);
    expect(await picked(bob)).toEqual([]);
    expect((await why(bob)).data.whyRunnable).toMatchObject({ allowed: false, rule: 'no-entry' });
    const { data } = await set(ada, [{ id: bob.id, type: 'USER', allow: true }]);
    expect(data.setCommandPermissions.permissions).toEqual([{ id: bob.id, type: 2, permission: true }]);
    expect(await picked(bob)).toEqual(['roll']);
    const { whyRunnable } = (await why(ada, bob.id)).data;
    expect(whyRunnable).toMatchObject({ allowed: true, rule: 'user-entry' });
    expect(whyRunnable.steps.at(-1)).toBe('Allowed: a rule for the user allows the command.');
  });

  test('is listed in the picker by its type', async () => {
    await putCommand(server.app, BigInt(application.id), { name: 'Report', type: 3 });
    expect(await picked(ada, 'MESSAGE')).toEqual(['Report']);
    expect(await picked(ada, 'USER')).toEqual([]);
    expect(await picked(ada)).toEqual(['Report', 'roll']);
  });

  test('has a permission list of its own, apart from that of its application', async () => {
    await set(ada, [{ id: guild.id, type: 'ROLE', allow: true }]);
    await set(ada, [{ id: guild.textChannelId, type: 'CHANNEL', allow: false }], commandId);
    expect((await list(ada)).data.commandPermissions).toEqual([{ id: guild.id, type: 1, permission: true }]);
    expect((await list(ada, commandId)).data.commandPermissions).toEqual([
      { id: guild.textChannelId, type: 3, permission: false },
    ]);
  });
});

const SET_ONE = `mutation ($input: SetCommandPermissionInput!) {
  setCommandPermission(input: $input) { guild { id } }
}`;
const ACCESS = `query ($guildId: ID!, $applicationId: ID!) {
  guild(id: $guildId) { commandAccess(applicationId: $applicationId) { command { id name } permissions effective } }
}`;
const setOne = (entry: object, id?: string) => ada.ask(SET_ONE, { input: { ...key(), commandId: id, ...entry } });
const access = async () => (await ada.graphql(ACCESS, key())).guild.commandAccess;

describe('one entry of a permission list', () => {
  const everyone = () => ({ id: guild.id, type: 'ROLE' });

  test('is added, changed and removed without losing entries that others set at the same time', async () => {
    const said = await Promise.all([
      setOne({ ...everyone(), allow: true }),
      setOne({ id: bob.id, type: 'USER', allow: false }),
      setOne({ id: ada.id, type: 'USER', allow: true }),
    ]);
    expect(said.flatMap(({ errors }) => errors)).toEqual([]);
    await setOne({ ...everyone(), allow: false });
    await setOne({ id: ada.id, type: 'USER', allow: null });
    expect((await list(ada)).data.commandPermissions).toEqual([
      { id: guild.id, type: 1, permission: false },
      { id: bob.id, type: 2, permission: false },
    ]);
  });

  test('is refused if its target is missing or if the list is full', async () => {
    const { errors } = await setOne({ id: '1', type: 'CHANNEL', allow: true });
    expect(errors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: { id: [{ message: 'This channel is not in the server.' }] },
    });
    const rows = Array.from({ length: 100 }, (_, index) => ({
      targetId: BigInt(index + 1),
      targetType: 2,
      allow: true,
    }));
    const ids = { guildId: BigInt(guild.id), applicationId: BigInt(application.id), commandId: BigInt(commandId) };
    await server.app.db.writer.commandPermission.createMany({ data: rows.map((row) => ({ ...ids, ...row })) });
    expect(codeOf(await setOne({ ...everyone(), allow: true }, commandId))).toBe('LIMIT_EXCEEDED');
    expect(codeOf(await setOne({ id: '7', type: 'USER', allow: null }, commandId))).toBeUndefined();
    expect(codeOf(await bob.ask(SET_ONE, { input: { ...key(), ...everyone(), allow: true } }))).toBe('FORBIDDEN');
  });
});

describe('the permissions of all commands of an application', () => {
  test('show which list applies to each command', async () => {
    const quiet = String((await putCommand(server.app, BigInt(application.id), { name: 'quiet' })).id);
    await setOne({ id: guild.id, type: 'ROLE', allow: true });
    await setOne({ id: bob.id, type: 'USER', allow: false }, commandId);
    const common = [{ id: guild.id, type: 1, permission: true }];
    const own = [{ id: bob.id, type: 2, permission: false }];
    const [first, ...ofCommands] = await access();
    expect(first).toEqual({ command: null, permissions: common, effective: common });
    expect(new Map(ofCommands.map((one: Loose) => [one.command.name, one]))).toEqual(
      new Map([
        ['roll', { command: { id: commandId, name: 'roll' }, permissions: own, effective: own }],
        ['quiet', { command: { id: quiet, name: 'quiet' }, permissions: [], effective: common }],
      ]),
    );
    expect(codeOf(await bob.ask(ACCESS, key()))).toBe('FORBIDDEN');
    const query =
      'query ($id: ID!, $app: ID!) { guild(id: $id) { installation(applicationId: $app) { application { id } } } }';
    const installed = async (app: string) => (await bob.graphql(query, { id: guild.id, app })).guild.installation;
    expect(await installed(application.id)).toEqual({ application: { id: application.id } });
    const { id } = await createApplication(ada, 'Elsewhere');
    expect(await installed(id)).toBeNull();
    expect(codeOf(await ada.ask(ACCESS, { ...key(), applicationId: id }))).toBe('NOT_FOUND');
  });
});

describe('a request about command permissions', () => {
  test('is refused if the caller does not manage the server or is not in it', async () => {
    expect(codeOf(await list(bob))).toBe('FORBIDDEN');
    expect(codeOf(await set(bob, []))).toBe('FORBIDDEN');
    expect(codeOf(await why(bob, ada.id))).toBe('FORBIDDEN');
    const cleo = await signUp(server, `cleo${guild.id}`);
    expect(codeOf(await list(cleo))).toBe('NOT_FOUND');
    expect(codeOf(await why(cleo))).toBe('NOT_FOUND');
    expect(codeOf(await cleo.ask(PICKER, { channelId: guild.textChannelId }))).toBe('NOT_FOUND');
  });

  test('is refused with the path of each invalid entry', async () => {
    const { errors } = await set(ada, [
      { id: bob.id, type: 'USER', allow: true },
      { id: '1', type: 'ROLE', allow: true },
      { id: bob.id, type: 'USER', allow: false },
    ]);
    expect(errors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: {
        'permissions.1.id': [{ message: 'This role is not in the server.' }],
        'permissions.2.id': [{ message: 'The list contains this target twice.' }],
      },
    });
    const noId = await set(ada, [{ id: 'x', type: 'ROLE', allow: true }]);
    expect(Object.keys(noId.errors[0]?.extensions.fields ?? {})).toEqual(['permissions.0.id']);
    const tooMany = await set(ada, Array(101).fill({ id: bob.id, type: 'USER', allow: true }));
    expect(Object.keys(tooMany.errors[0]?.extensions.fields ?? {})).toEqual(['permissions']);
    expect((await list(ada)).data.commandPermissions).toEqual([]);
  });
});
