import { ChannelType } from 'discord-api-types/v10';
import {
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { beforeEach, describe, expect } from 'vitest';
import { DEFAULT_EVERYONE_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import type { TeamMemberRole } from '../../src/infra/database/index.js';
import { schema } from '../../src/schema/index.js';
import { test } from '../harness/fixtures.js';
import { codeOf, type GraphqlAnswer, type Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import { denyInChannel, permitEveryone, putWebhooks } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { faultsOf } from '../harness/settings.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { readingsOf } from '../harness/statements.js';
import { putTeam, transferApplication } from '../harness/teams.js';

const CREATE = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
  token url webhook { id name tokenHint createdAt channel { id } application { id } guild { id } creator { id } } } }`;
const UPDATE = `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id name channel { id } } } }`;
const DELETE = 'mutation ($input: WebhookIdInput!) { deleteWebhook(input: $input) { id } }';
const ONE = 'query ($id: ID!) { webhook(id: $id) { id name channel { id } guild { id } } }';
const OF_APPLICATION = 'query ($id: ID!) { application(id: $id) { webhooks { id name channel { id } } } }';
const OF_GUILD = 'query ($id: ID!) { guild(id: $id) { webhooks { id application { id name } } } }';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let secondChannelId: string;
let application: MadeApplication;
let people = 0;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
});
beforeEach(async () => {
  guild = await createGuild(ada);
  secondChannelId = await makeChannel();
  application = await createApplication(ada, 'Helper');
});

async function makeChannel(type = 0): Promise<string> {
  const { createChannel } = await ada.graphql(
    'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
    { input: { guildId: guild.id, name: 'second', type } },
  );
  return createChannel.channel.id;
}

const newInput = (more: object = {}) => ({
  input: { applicationId: application.id, channelId: guild.textChannelId, name: 'News', ...more },
});
const create = async (more: object = {}, person = ada): Promise<Loose> =>
  (await person.graphql(CREATE, newInput(more))).createWebhook;
const update = (webhookId: string, changes: object, person = ada) =>
  person.ask(UPDATE, { input: { webhookId, ...changes } });
const remove = (webhookId: string, person = ada) => person.ask(DELETE, { input: { webhookId } });
const listed = async (person = ada): Promise<Loose[]> =>
  (await person.graphql(OF_APPLICATION, { id: application.id })).application.webhooks;
const post = (url: string, content = 'hello') => ask(server, 'POST', url, { json: { content } });

/** Stores webhooks of the server's first channel. @returns their ids */
async function rows(count: number, more: object = {}): Promise<string[]> {
  const of = {
    applicationId: BigInt(application.id),
    guildId: BigInt(guild.id),
    channelId: BigInt(guild.textChannelId),
  };
  return (await putWebhooks(server, count, { ...of, creatorId: BigInt(ada.id), ...more })).map(String);
}
describe('createWebhook', () => {
  test('creates a webhook, and returns its token and URL once', async () => {
    const before = Date.now();
    const { token, url, webhook } = await create();
    expect(token).toMatch(/^WH\.[\w-]{8}\.[\w-]{56}$/);
    expect(url).toBe(`${server.app.addresses.publicUrl}/api/webhooks/${webhook.id}/${token}`);
    expect(webhook).toEqual({
      ...{ id: expect.stringMatching(/^\d+$/), name: 'News', tokenHint: `${token.slice(0, 11)}…${token.slice(-4)}` },
      ...{ createdAt: expect.any(String), channel: { id: guild.textChannelId }, application: { id: application.id } },
      ...{ guild: { id: guild.id }, creator: { id: ada.id } },
    });
    expect(Date.parse(webhook.createdAt)).toBeGreaterThanOrEqual(before);
    expect(await listed()).toEqual([{ id: webhook.id, name: 'News', channel: { id: guild.textChannelId } }]);
  });

  test('returns a URL that posts as the bot of the application', async () => {
    const { url, webhook } = await create();
    const { status, body } = await post(url, 'from outside');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ channel_id: guild.textChannelId, content: 'from outside', webhook_id: webhook.id },
      author: { id: application.id, bot: true },
    });
    const { channel } = await ada.graphql(
      'query ($id: ID!) { channel(id: $id) { messages(last: 1) { edges { node { id content author { id } } } } } }',
      { id: guild.textChannelId },
    );
    expect(channel.messages.edges).toEqual([
      { node: { id: body.id, content: 'from outside', author: { id: application.id } } },
    ]);
  });

  test.each<[string, object, Record<string, string[]>]>([
    ['an empty name', { name: '' }, { name: ['BASE_TYPE_BAD_LENGTH'] }],
    ['a name of spaces', { name: '   ' }, { name: ['BASE_TYPE_BAD_LENGTH'] }],
    ['a name of 81 characters', { name: 'x'.repeat(81) }, { name: ['BASE_TYPE_BAD_LENGTH'] }],
    ['a channel that is no id', { channelId: 'here' }, { channelId: ['NUMBER_TYPE_COERCE'] }],
    ['an application that is no id', { applicationId: 'mine' }, { applicationId: ['NUMBER_TYPE_COERCE'] }],
  ])('reports an error at its path for %s', async (_what, more, faults) => {
    const answer = await ada.ask(CREATE, newInput(more));
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['BAD_USER_INPUT', faults]);
    expect(await listed()).toEqual([]);
  });

  test('accepts a name of 80 characters', async () => {
    expect((await create({ name: '🐙'.repeat(80) })).webhook.name).toBe('🐙'.repeat(80));
  });

  test('refuses a channel that cannot have messages', async () => {
    const answer = await ada.ask(CREATE, newInput({ channelId: await makeChannel(ChannelType.GuildCategory) }));
    expect([codeOf(answer), answer.errors[0]?.message]).toEqual([
      'BAD_USER_INPUT',
      'Cannot send messages in a non-text channel',
    ]);
  });

  test('refuses the 51st webhook of an application, and does not count deleted ones', async () => {
    await rows(3, { deletedAt: new Date(0) });
    const [first = ''] = await rows(49);
    await create();
    const answer = await ada.ask(CREATE, newInput());
    expect([codeOf(answer), answer.errors[0]?.message]).toEqual([
      'LIMIT_EXCEEDED',
      'Maximum number of webhooks reached (50)',
    ]);
    expect(await listed()).toHaveLength(50);
    await remove(first);
    expect((await listed()).map(({ id }) => id)).not.toContain(first);
    await create();
  });
});

describe('updateWebhook', () => {
  test('renames a webhook, and moves it: the same URL posts to the other channel', async () => {
    const { url, webhook } = await create();
    const renamed = await update(webhook.id, { name: 'Weather' });
    const shown = { id: webhook.id, name: 'Weather', channel: { id: guild.textChannelId } };
    expect(renamed.data.updateWebhook.webhook).toEqual(shown);
    const moved = await update(webhook.id, { name: null, channelId: secondChannelId });
    expect(moved.data.updateWebhook.webhook).toEqual({ ...shown, channel: { id: secondChannelId } });
    expect((await post(url)).body.channel_id).toBe(secondChannelId);
  });

  test('reports errors at their paths', async () => {
    const { webhook } = await create();
    const elsewhere = await createGuild(ada);
    expect(faultsOf(await update(webhook.id, { name: '', channelId: 'x' }))).toEqual({
      name: ['BASE_TYPE_BAD_LENGTH'],
      channelId: ['NUMBER_TYPE_COERCE'],
    });
    expect(faultsOf(await update('x', {}))).toEqual({ webhookId: ['NUMBER_TYPE_COERCE'] });
    expect(faultsOf(await update(webhook.id, { channelId: elsewhere.textChannelId }))).toEqual({
      channelId: ['WEBHOOK_CHANNEL_OF_OTHER_GUILD'],
    });
    expect(codeOf(await update(webhook.id, { channelId: '1' }))).toBe('NOT_FOUND');
    expect(await listed()).toEqual([{ id: webhook.id, name: 'News', channel: { id: guild.textChannelId } }]);
  });
});

test('deleteWebhook deletes a webhook once, and its URL no longer posts', async () => {
  const { url, webhook } = await create();
  expect((await remove(webhook.id)).data).toEqual({ deleteWebhook: { id: webhook.id } });
  expect((await post(url)).status).toBe(404);
  expect([codeOf(await remove(webhook.id)), codeOf(await update(webhook.id, { name: 'x' }))]).toEqual(
    Array(2).fill('NOT_FOUND'),
  );
  expect(codeOf(await ada.ask(ONE, { id: webhook.id }))).toBe('NOT_FOUND');
  expect(await listed()).toEqual([]);
  expect((await ada.graphql(OF_GUILD, { id: guild.id })).guild.webhooks).toEqual([]);
});

type Seat = 'manages' | 'member' | 'outside';
type Outcomes = Record<'see' | 'listed' | 'inServer' | 'create' | 'rename' | 'move' | 'delete', string>;

const ALL: Outcomes = {
  ...{ see: 'ok', listed: 'ok', inServer: 'ok' },
  ...{ create: 'ok', rename: 'ok', move: 'ok', delete: 'ok' },
};
const NONE = (code: string): Outcomes => ({
  ...{ see: code, listed: code, inServer: code },
  ...{ create: code, rename: code, move: code, delete: code },
});

describe('access to the webhooks of an application', () => {
  test.each<[string, TeamMemberRole | null, Seat, Outcomes]>([
    ['an admin who manages the server', 'ADMIN', 'manages', ALL],
    ['a developer who manages the server', 'DEVELOPER', 'manages', ALL],
    [
      'a developer who does not manage the server',
      'DEVELOPER',
      'member',
      { ...ALL, inServer: 'FORBIDDEN', create: 'FORBIDDEN' },
    ],
    [
      'a developer who is no member of the server',
      'DEVELOPER',
      'outside',
      { ...ALL, inServer: 'NOT_FOUND', create: 'NOT_FOUND', move: 'NOT_FOUND' },
    ],
    [
      'who may only read and manages the server',
      'READ_ONLY',
      'manages',
      { ...ALL, create: 'FORBIDDEN', rename: 'FORBIDDEN', move: 'FORBIDDEN' },
    ],
    ['who may only read', 'READ_ONLY', 'member', { ...NONE('FORBIDDEN'), see: 'ok', listed: 'ok' }],
    [
      'who may only read and is no member of the server',
      'READ_ONLY',
      'outside',
      { ...NONE('FORBIDDEN'), see: 'ok', listed: 'ok', inServer: 'NOT_FOUND' },
    ],
    [
      'who manages the server and has no role',
      null,
      'manages',
      { ...ALL, listed: 'NOT_FOUND', create: 'NOT_FOUND', rename: 'FORBIDDEN', move: 'FORBIDDEN' },
    ],
    ['a member without a role', null, 'member', { ...NONE('FORBIDDEN'), listed: 'NOT_FOUND', create: 'NOT_FOUND' }],
    ['a stranger', null, 'outside', NONE('NOT_FOUND')],
  ])('follows roles and permissions: %s', async (_who, role, seat, outcomes) => {
    const person = await seated(role, seat);
    expect(await attempts(person)).toEqual(outcomes);
  });

  test('is complete for the owner of the application, who manages the server', async () => {
    expect(await attempts(ada)).toEqual(ALL);
  });

  test('is refused to an unauthenticated caller', async () => {
    const { webhook } = await create();
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: DELETE, variables: { input: { webhookId: webhook.id } } }),
    });
    expect((await response.json()) as Loose).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await listed()).toHaveLength(1);
  });

  test('is refused to a stranger with the same error as for a missing webhook', async () => {
    const { webhook } = await create();
    const stranger = await signUp(server, `stranger${++people}`);
    const said = ({ data, errors }: GraphqlAnswer<Loose>) => [
      data,
      errors.map(({ message, extensions }) => [message, extensions]),
    ];
    for (const [query, variables] of [
      [ONE, (id: string) => ({ id })],
      [UPDATE, (webhookId: string) => ({ input: { webhookId, name: 'Mine' } })],
      [DELETE, (webhookId: string) => ({ input: { webhookId } })],
    ] as const) {
      const answer = said(await stranger.ask(query, variables(webhook.id)));
      expect(answer).toEqual(said(await stranger.ask(query, variables('1'))));
      expect(answer[1]).toEqual([['Unknown Webhook', { code: 'NOT_FOUND' }]]);
    }
  });
});

async function seated(role: TeamMemberRole | null, seat: Seat): Promise<Person> {
  const person = await signUp(server, `person${++people}`);
  const teamId = await putTeam(server, ada, role ? [[person, role]] : []);
  await transferApplication(ada, application, { id: String(teamId) });
  if (seat !== 'outside') await invite(ada, guild, person);
  const bits = DEFAULT_EVERYONE_PERMISSIONS | (seat === 'manages' ? Permission.ManageGuild : 0n);
  await permitEveryone(server.app, BigInt(guild.id), bits);
  return person;
}

async function attempts(person: Person): Promise<Outcomes> {
  const { webhook } = await create();
  const ended = (answer: GraphqlAnswer<Loose>) => codeOf(answer) ?? 'ok';
  const outcomes = {
    see: ended(await person.ask(ONE, { id: webhook.id })),
    listed: ended(await person.ask(OF_APPLICATION, { id: application.id })),
    inServer: ended(await person.ask(OF_GUILD, { id: guild.id })),
    create: ended(await person.ask(CREATE, newInput())),
    rename: ended(await update(webhook.id, { name: 'Other' }, person)),
    move: ended(await update(webhook.id, { channelId: secondChannelId }, person)),
    delete: ended(await remove(webhook.id, person)),
  };
  expect((await listed()).some(({ id }) => id === webhook.id)).toBe(outcomes.delete !== 'ok');
  return outcomes;
}

describe('the webhooks of an application', () => {
  test('are shown to a manager of their server in that server, but not in the application', async () => {
    const { webhook } = await create();
    const manager = await seated(null, 'manages');
    const { guild: seen } = await manager.graphql(
      'query ($id: ID!) { guild(id: $id) { webhooks { id application { name webhooks { id } } } } }',
      { id: guild.id },
    );
    expect(seen.webhooks).toEqual([{ id: webhook.id, application: { name: 'Helper', webhooks: [] } }]);
  });

  test('hide their channel from a user who cannot see it, and their server from a user outside it', async () => {
    const { webhook } = await create();
    const developer = await seated('DEVELOPER', 'outside');
    const hidden = { id: webhook.id, name: 'News', channel: null, guild: null };
    expect((await developer.graphql(ONE, { id: webhook.id })).webhook).toEqual(hidden);
    await invite(ada, guild, developer);
    const shown = { ...hidden, channel: { id: guild.textChannelId }, guild: { id: guild.id } };
    expect((await developer.graphql(ONE, { id: webhook.id })).webhook).toEqual(shown);
    await denyInChannel(server, guild, guild.textChannelId, Permission.ViewChannel);
    expect((await developer.graphql(ONE, { id: webhook.id })).webhook).toEqual({ ...shown, channel: null });
    expect((await ada.graphql(ONE, { id: webhook.id })).webhook).toEqual(shown);
  });

  test('stay when their channel is deleted, and post nowhere until they are moved', async () => {
    const { url, webhook } = await create();
    const client = socketClient(server, { token: ada.token });
    const page = await subscribe(
      client,
      'subscription ($id: ID!) { applicationChanged(applicationId: $id) { webhooks { id channel { id } } } }',
      { id: application.id },
    );
    await ada.graphql('mutation ($input: ChannelIdInput!) { deleteChannel(input: $input) { id } }', {
      input: { channelId: guild.textChannelId },
    });
    expect((await page.next()).data.applicationChanged.webhooks).toEqual([{ id: webhook.id, channel: null }]);
    await client.dispose();
    expect((await post(url)).status).toBe(404);
    expect(await listed()).toEqual([{ id: webhook.id, name: 'News', channel: null }]);
    await update(webhook.id, { channelId: secondChannelId });
    expect((await post(url)).status).toBe(200);
  });

  test('show the bot that created them', async () => {
    await ada.graphql(
      'mutation ($input: InstallApplicationInput!) { installApplication(input: $input) { installation { id } } }',
      { input: { applicationId: application.id, guildId: guild.id, scopes: ['bot'], permissions: '32' } },
    );
    const headers = { authorization: `Bot ${application.botToken}` };
    const made = await ask(server, 'POST', `/channels/${guild.textChannelId}/webhooks`, {
      json: { name: 'By the bot' },
      headers,
    });
    expect(made.status).toBe(200);
    const { webhook } = await ada.graphql('query ($id: ID!) { webhook(id: $id) { name creator { id bot } } }', {
      id: made.body.id,
    });
    expect(webhook).toEqual({ name: 'By the bot', creator: { id: application.id, bot: true } });
  });

  test('take the same number of reads for many applications and servers as for few', async () => {
    const query = `{ applications(first: 20) { id webhooks {
      name channel { id } guild { id name } creator { id } application { id name } } } }`;
    const read = async (person: Person) => readingsOf(() => person.graphql(query));
    const eve = await signUp(server, `eve${++people}`);
    await invite(ada, guild, eve);
    await putOwnWebhooks(eve, 2);
    await read(eve);
    const few = await read(eve);
    await putOwnWebhooks(eve, 10);
    await read(eve);
    const many = await read(eve);
    const shown = (reading: { result: Loose }) =>
      reading.result.applications.flatMap(({ webhooks }: Loose) => webhooks);
    expect([shown(few), shown(many)].map(({ length }) => length)).toEqual([2, 12]);
    expect(shown(many).every(({ channel, guild: of }: Loose) => channel !== null && of !== null)).toBe(true);
    expect(many.statements.length).toBe(few.statements.length);
  });
});

async function putOwnWebhooks(person: Person, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const { id } = await createApplication(person);
    await rows(1, { applicationId: BigInt(id) });
  }
}

test('changes to webhooks appear in the audit logs of the application and of the server', async () => {
  const { webhook } = await create();
  await update(webhook.id, { name: 'Weather', channelId: secondChannelId });
  await update(webhook.id, { name: 'Weather' });
  await remove(webhook.id);
  const entry = 'auditLog(last: 3) { edges { node { action target changes actor { id } } } }';
  const logs = await ada.graphql(
    `query ($a: ID!, $g: ID!) { application(id: $a) { ${entry} } guild(id: $g) { ${entry} } }`,
    { a: application.id, g: guild.id },
  );
  const entriesOf = ({ auditLog }: Loose) => auditLog.edges.map(({ node }: Loose) => node);
  const by = { target: webhook.id, actor: { id: ada.id } };
  const facts = (name: string, channelId: string) => ({ name, channelId, applicationId: application.id });
  const told = (prefix: string) => [
    { ...by, action: `${prefix}WEBHOOK_CREATE`, changes: facts('News', guild.textChannelId) },
    {
      ...by,
      action: `${prefix}WEBHOOK_UPDATE`,
      changes: { name: { old: 'News', new: 'Weather' }, channelId: { old: guild.textChannelId, new: secondChannelId } },
    },
    { ...by, action: `${prefix}WEBHOOK_DELETE`, changes: facts('Weather', secondChannelId) },
  ];
  expect(entriesOf(logs.application)).toEqual(told('APPLICATION_'));
  expect(entriesOf(logs.guild)).toEqual(told(''));
});

/** Selects all fields without required arguments, down to the given depth. */
function everythingOf(type: GraphQLNamedType, depth: number, shunned: readonly string[]): string {
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap(({ name, args, type: of }) => {
    const named = getNamedType(of as GraphQLOutputType);
    if (shunned.includes(name) || args.some((arg) => arg.type instanceof GraphQLNonNull)) return [];
    if (isLeafType(named)) return name;
    return depth === 0 ? [] : `${name} ${everythingOf(named, depth - 1, shunned)}`;
  });
  return `{ __typename ${fields.join(' ')} }`;
}

test('a webhook token is shown once, and no field returns it or its hash later', async () => {
  const { token, webhook } = await create();
  const [, , secret] = token.split('.');
  const row = await server.app.db.reader.webhook.findUniqueOrThrow({ where: { id: BigInt(webhook.id) } });
  expect(row.tokenHash).toMatch(/^\$argon2id\$/);
  const everything = (name: string, depth: number, ...shunned: string[]) => {
    const type = schema.getType(name);
    if (!type) throw new Error(`there is no ${name}`);
    return everythingOf(type, depth, shunned);
  };
  const ids = { w: webhook.id, a: application.id, g: guild.id };
  const beside = ['ownerTeam', 'guild', 'bot', 'interactions', 'commands', 'testers', 'emojis'];
  const answers = [
    await ada.graphql(
      `query ($w: ID!) { webhook(id: $w) ${everything('Webhook', 2, 'members', 'interactions')} }`,
      ids,
    ),
    await ada.graphql(`query ($a: ID!) { application(id: $a) ${everything('Application', 3, ...beside)} }`, ids),
    await ada.graphql(
      `query ($g: ID!) { guild(id: $g) { auditLog(last: 9) ${everything('AuditEntryConnection', 2)} webhooks(first: 9) ${everything('Webhook', 1, 'inactiveMemberCount')} } }`,
      ids,
    ),
    await ada.graphql(
      `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) ${everything('WebhookPayload', 2)} }`,
      { input: { webhookId: webhook.id, name: 'Other' } },
    ),
    await server.app.db.reader.auditEntry.findMany({ where: { targetId: BigInt(webhook.id) } }),
    await ada.graphql(
      `mutation ($input: WebhookIdInput!) { deleteWebhook(input: $input) ${everything('DeletedPayload', 2)} }`,
      { input: { webhookId: webhook.id } },
    ),
  ];
  for (const answer of answers) {
    const text = JSON.stringify(answer, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).toContain(webhook.id);
    for (const kept of [secret, row.tokenHash]) expect(text).not.toContain(kept);
  }
});
