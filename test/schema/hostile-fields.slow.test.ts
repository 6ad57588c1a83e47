import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLNonNull,
  getNamedType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  parse,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { putCommand } from '../harness/command-rows.js';
import { EVERY_FIELD_MS, HOSTILE_OTHERS, HOSTILE_TEXTS } from '../harness/hostile-values.js';
import { readableLog } from '../harness/log.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { putWebhooks } from '../harness/rows.js';
import { makeBox } from '../harness/self-hosted.js';
import { startServer, type TestServer } from '../harness/server.js';
import { createTeam } from '../harness/teams.js';

/**
 * Sends every hostile value in every field of every input, and as every cursor. The server must answer with a code and without an
 * internal error. A value that does not fit the type of its field is sent once per operation.
 */

const { log, lines: faults } = readableLog();
let server: TestServer;
let ada: Person;
/** Valid values by field name. With them, an input with one hostile field reaches the database. */
let samples: Record<string, unknown>;
let others: Record<
  'guild' | 'channel' | 'message' | 'application' | 'installation' | 'command' | 'team' | 'webhook' | 'box',
  string
>;
let stateBefore: string;

beforeAll(async () => {
  server = await startServer({ log });
  ada = await signUp(server, 'ada');
  const bob = await signUp(server, 'bob');
  const guild = await createGuild(ada);
  const [application, team] = [await createApplication(ada), await createTeam(ada)];
  await install(ada, application, guild);
  const { id: commandId } = await putCommand(server.app, BigInt(application.id));
  others = await makeOthers(await signUp(server, 'cleo'));
  stateBefore = await stateOfOthers();
  samples = {
    guildId: guild.id,
    channelId: guild.textChannelId,
    messageId: await sendMessage(ada, guild.textChannelId, 'hello'),
    applicationId: application.id,
    commandId: String(commandId),
    allow: true,
    teamId: team.id,
    userId: bob.id,
    targetId: bob.id,
    roleId: guild.id,
    password: 'not the password',
    // These ids are missing ones: with real ids, a hostile run could delete or change rows.
    installationId: '1',
    invitationId: '1',
    id: guild.id,
    name: 'A name',
    appName: 'Another name',
    content: 'hello',
    code: 'AbCdEf12',
    emoji: '👍',
    email: 'nobody@people.example',
    url: 'http://localhost:1/',
    scopes: ['bot'],
    roleIds: [],
    userIds: [bob.id],
    messageIds: ['1', '2'],
    positions: [],
    position: 1,
    command: { name: 'play', description: 'Plays a song' },
    commands: [],
    interactionId: '1',
    webhookId: '1',
    boxId: (await makeBox(ada)).box.id,
    components: [],
    customId: 'press',
    icon: null,
    image: null,
    emojiId: '1',
    personalTokenId: '1',
    file: { description: 'A bot' },
    reason: 'It is down.',
    status: 500,
    personId: '1',
    ownerId: '1',
    role: 'MODERATOR',
    text: 'Write to us.',
    token: 'wrong',
  };
});
afterAll(() => server.stop());

function isOfId(path: Key[]): boolean {
  const name = path.findLast((key) => typeof key === 'string') ?? '';
  return /(^id|Ids?)$/.test(String(name));
}

/** Creates objects of cleo's, none of which ada can see. */
async function makeOthers(cleo: Person): Promise<typeof others> {
  const [guild, application, team] = [await createGuild(cleo), await createApplication(cleo), await createTeam(cleo)];
  const { id: command } = await putCommand(server.app, BigInt(application.id));
  return {
    guild: guild.id,
    channel: guild.textChannelId,
    message: await sendMessage(cleo, guild.textChannelId, 'hers'),
    application: application.id,
    installation: await install(cleo, application, guild),
    command: String(command),
    team: team.id,
    webhook: await putWebhook(cleo, application, guild),
    box: (await makeBox(cleo)).box.id,
  };
}

async function putWebhook(person: Person, application: { id: string }, guild: MadeGuild): Promise<string> {
  const [id] = await putWebhooks(server, 1, {
    applicationId: BigInt(application.id),
    guildId: BigInt(guild.id),
    channelId: BigInt(guild.textChannelId),
    creatorId: BigInt(person.id),
  });
  return String(id);
}

async function stateOfOthers(): Promise<string> {
  const { reader } = server.app.db;
  const guildId = BigInt(others.guild);
  const id = BigInt(others.application);
  const rows = [
    await reader.guild.findMany({ where: { id: guildId } }),
    await reader.channel.findMany({ where: { guildId }, include: { overwrites: true, messages: true } }),
    await reader.role.findMany({ where: { guildId } }),
    await reader.member.findMany({ where: { guildId }, include: { roles: true } }),
    await reader.ban.findMany({ where: { guildId } }),
    await reader.installation.findMany({ where: { guildId } }),
    await reader.commandPermission.findMany({ where: { guildId } }),
    await reader.application.findMany({ where: { id }, include: { commands: true, testers: true, webhooks: true } }),
    await reader.box.findMany({ where: { id: BigInt(others.box) } }),
    await reader.team.findMany({ where: { id: BigInt(others.team) }, include: { members: true, invitations: true } }),
  ];
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

type Place = GraphQLArgument | GraphQLInputField;
type Key = string | number;

const withoutNull = (type: GraphQLInputType) => (isNonNullType(type) ? type.ofType : type) as GraphQLInputType;

/** Paths of all scalars and enums in an input. */
function leavesOf(type: GraphQLInputType, path: Key[]): Key[][] {
  const bare = withoutNull(type);
  if (isListType(bare)) return leavesOf(bare.ofType as GraphQLInputType, [...path, 0]);
  if (!isInputObjectType(bare)) return [path];
  return Object.values(bare.getFields()).flatMap((field) => leavesOf(field.type, [...path, field.name]));
}

function sampleOf({ name, type }: Place): unknown {
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[1]?.name;
  if (isInputObjectType(named)) return neededOf(Object.values(named.getFields()));
  if (!(name in samples)) throw new Error(`a sample is missing for ${name}`);
  return samples[name];
}

function neededOf(places: readonly Place[]): Record<string, unknown> {
  const needed = places.filter(({ type }) => type instanceof GraphQLNonNull);
  return Object.fromEntries(needed.map((place) => [place.name, sampleOf(place)]));
}

/** A value with `leaf` at the path, and with all required fields. */
function valueWith(type: GraphQLInputType, [key, ...rest]: Key[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  const bare = withoutNull(type);
  if (isListType(bare)) return [valueWith(bare.ofType as GraphQLInputType, rest, leaf)];
  const fields = isInputObjectType(bare) ? bare.getFields() : {};
  const inner = fields[key];
  return { ...neededOf(Object.values(fields)), ...(inner && { [key]: valueWith(inner.type, rest, leaf) }) };
}

/** Returns the check of variables that the server makes before it runs the operation. */
function variablesCheck(query: string): (variables: Record<string, unknown>) => boolean {
  const [operation] = parse(query).definitions;
  const definitions = (operation?.kind === Kind.OPERATION_DEFINITION && operation.variableDefinitions) || [];
  return (variables) => getVariableValues(schema, definitions, variables).errors === undefined;
}

const operations = ['Mutation', 'Query'].flatMap((kind) => {
  const type = schema.getType(kind);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  return fields.filter(({ args }) => args.length > 0).map((field) => ({ kind: kind.toLowerCase(), ...field }));
});

/** Selections that lead from the query to an object of each type with paginated lists. */
const ROOTS: Record<string, () => string[]> = {
  Query: () => [],
  Guild: () => [`guild(id: "${samples.guildId}")`],
  Channel: () => [`channel(id: "${samples.channelId}")`],
  Message: () => [`channel(id: "${samples.channelId}")`, 'messages(last: 1)', 'edges', 'node'],
  Team: () => [`team(id: "${samples.teamId}")`],
  Application: () => [`application(id: "${samples.applicationId}")`],
  Box: () => [`box(id: "${samples.boxId}")`],
  Instance: () => ['instance'],
  PortalHome: () => ['portalHome'],
};

const pages = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type) || type.name.startsWith('__')) return [];
  return Object.values(type.getFields()).flatMap((field) => {
    const cursors = field.args.filter(({ name }) => name === 'after' || name === 'before');
    return cursors.map(({ name: cursor, type: cursorType }) => ({
      type: type.name,
      name: field.name,
      cursor,
      cursorType,
      needed: field.args.filter(({ type: argType }) => argType instanceof GraphQLNonNull),
    }));
  });
});

describe('every field of every input', { timeout: EVERY_FIELD_MS }, () => {
  it.each(operations)('of $name takes hostile values without an internal error', async ({ kind, name, args, type }) => {
    const declared = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
    const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
    const selection = isScalarType(getNamedType(type)) ? '' : '{ __typename }';
    const query = `${kind} (${declared}) { ${name}(${passed}) ${selection} }`;
    const isTaken = variablesCheck(query);
    const told = new Set<unknown>();
    for (const arg of args) {
      for (const [, ...path] of leavesOf(arg.type, [arg.name])) {
        const ofOthers = isOfId([arg.name, ...path]) ? Object.values(others) : [];
        for (const leaf of [...HOSTILE_TEXTS, ...HOSTILE_OTHERS, ...ofOthers]) {
          const variables = { ...neededOf(args), [arg.name]: valueWith(arg.type, path, leaf) };
          if (!isTaken(variables)) {
            if (told.has(leaf)) continue;
            told.add(leaf);
          }
          const answer = await ada.ask(query, variables);
          const said = JSON.stringify({ variables, errors: answer.errors });
          expect(answer.status, said).toBeLessThan(500);
          for (const { extensions } of answer.errors) expect(extensions.code, said).toBeDefined();
        }
      }
    }
    expect(faults.splice(0)).toEqual([]);
  });
});

test('the data of another user stays unchanged, whatever ids a caller sends', async () => {
  expect(await stateOfOthers()).toBe(stateBefore);
});

describe('every page of a list', { timeout: EVERY_FIELD_MS }, () => {
  it.each(pages)(
    'of $name of $type takes any value of $cursor without an internal error',
    async ({ type, name, cursor, cursorType, needed }) => {
      const root = ROOTS[type];
      if (!root) throw new Error(`say in ROOTS where a ${type} is met`);
      const others = needed.map((arg) => `, ${arg.name}: ${JSON.stringify(sampleOf(arg))}`).join('');
      const field = `${name}(${cursor}: $cursor${others}) { __typename }`;
      const query = `query ($cursor: ${cursorType}) { ${root().reduceRight((inner, step) => `${step} { ${inner} }`, field)} }`;
      for (const value of [...HOSTILE_TEXTS, ...HOSTILE_OTHERS]) {
        const answer = await ada.ask(query, { cursor: value });
        for (const { extensions } of answer.errors) expect(extensions.code, JSON.stringify(value)).toBeDefined();
      }
      expect(faults.splice(0)).toEqual([]);
    },
  );
});
