import { beforeEach, describe, expect } from 'vitest';
import { OF_ROLE, putPermissions } from '../harness/command-rows.js';
import { startEndpoint } from '../harness/endpoint.js';
import { failStatements } from '../harness/faults.js';
import { test } from '../harness/fixtures.js';
import { askGraphql, codeOf, type GraphqlAnswer, type Loose } from '../harness/graphql.js';
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
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';

const FILE = 'query ($id: ID!) { application(id: $id) { file } }';
const APPLY = `mutation ($input: ApplyApplicationFileInput!) { applyApplicationFile(input: $input) {
  applied application { id name } createdWebhooks { url webhook { id name } }
  plan { digest
    settings { field before after }
    commands { change type name fields grantsLost grantsLostIn { id } grantsLostElsewhere }
    webhooks { change webhookId name channel { id } changes { field before after } } } } }`;

const CREATE_CHANNEL = 'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }';
const CREATE_COMMAND = 'mutation ($input: CreateCommandInput!) { createCommand(input: $input) { command { id } } }';
const CREATE_WEBHOOK = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';

const LUNCH = {
  name: 'lunch',
  description: 'Orders lunch',
  name_localizations: { de: 'mittagessen' },
  options: [
    { type: 3, name: 'dish', description: 'What to eat', required: true, description_localizations: { fr: 'Quoi' } },
  ],
};
const REPORT = { type: 2, name: 'Report person' };

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let secondChannelId: string;
let application: MadeApplication;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});
beforeEach(async () => {
  guild = await createGuild(ada);
  const { createChannel } = await ada.graphql(CREATE_CHANNEL, { input: { guildId: guild.id, name: 'second' } });
  secondChannelId = createChannel.channel.id;
  application = await createApplication(ada, 'Helper');
});

const fileOf = async (person = ada): Promise<Loose> =>
  (await person.graphql(FILE, { id: application.id })).application.file;
const send = (input: object, person = ada): Promise<GraphqlAnswer<Loose>> =>
  person.ask(APPLY, { input: { applicationId: application.id, ...input } });
const plan = (file: object, person = ada) => send({ file, dryRun: true }, person);
async function planned(file: object): Promise<Loose> {
  const { data, errors } = await plan(file);
  expect(errors).toEqual([]);
  return data.applyApplicationFile.plan;
}
const apply = async (file: object, planDigest?: string) =>
  send({ file, planDigest: planDigest ?? (await planned(file)).digest });
const webhook = (more: object = {}) => ({ name: 'Deploys', channel: guild.textChannelId, ...more });
const faultsOf = ({ errors }: GraphqlAnswer<Loose>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(errors[0]?.extensions.fields ?? {}).map(([path, faults]) => [
      path,
      (faults as { message: string }[]).map(({ message }) => message),
    ]),
  );
/** Every entry as `change name`. */
const changesIn = ({ settings, commands, webhooks }: Loose) => [
  ...settings.map(({ field }: Loose) => `set ${field}`),
  ...[...commands, ...webhooks].map(({ change, name }: Loose) => `${change} ${name}`),
];
const actions = async () =>
  (
    await server.app.db.reader.auditEntry.findMany({
      where: { applicationId: BigInt(application.id), action: { not: 'APPLICATION_CREATE' } },
      orderBy: { id: 'asc' },
    })
  ).map(({ action }) => action);

describe('the file of an application', () => {
  test('has its settings, its global commands without defaults, and its webhooks without tokens', async () => {
    await update(ada, application.id, { description: 'Helps', redirectUris: ['https://helper.example/back'] });
    const { data } = await apply({ commands: [LUNCH, REPORT], webhooks: [webhook()] });
    const [{ webhook: made }] = data.applyApplicationFile.createdWebhooks;
    expect(await fileOf()).toEqual({
      application: application.id,
      name: 'Helper',
      description: 'Helps',
      public: true,
      publicClient: false,
      privilegedIntents: ['GUILD_MEMBERS', 'PRESENCES', 'MESSAGE_CONTENT'],
      serverInstall: true,
      userInstall: false,
      defaultInstallSettings: [
        { context: 'SERVER', scopes: ['bot', 'applications.commands'], permissions: '0' },
        { context: 'USER', scopes: ['applications.commands'] },
      ],
      installLinkMode: 'PROVIDED',
      customInstallUrl: null,
      interactionsEndpointUrl: null,
      redirectUris: ['https://helper.example/back'],
      commands: [LUNCH, REPORT],
      webhooks: [{ id: made.id, name: 'Deploys', channel: guild.textChannelId }],
    });
  });

  test('plans no change, whatever the application has', async () => {
    const rich = [
      { ...LUNCH, default_member_permissions: '0', nsfw: true, contexts: [0], integration_types: [0, 1] },
      { name: 'limits', description: 'Zeros', options: [{ type: 4, name: 'n', description: 'Any', min_value: 0 }] },
      { name: 'tree', description: 'Nested', options: [{ type: 1, name: 'leaf', description: 'One' }] },
      REPORT,
      { type: 3, name: 'Pin this', contexts: [0, 1] },
    ];
    await apply({ userInstall: true, commands: rich, webhooks: [webhook(), webhook(), webhook({ name: 'Other' })] });
    const file = await fileOf();
    expect(file.commands).toHaveLength(5);
    const { settings, commands, webhooks } = await planned(file);
    expect(settings).toEqual([]);
    expect(new Set([...commands, ...webhooks].map(({ change }) => change))).toEqual(new Set(['UNCHANGED']));
    expect([commands.length, webhooks.length]).toEqual([5, 3]);
  });

  test('is shown to everyone with a role, and looks missing to others', async () => {
    const team = await createTeam(ada);
    await transferApplication(ada, application, team);
    expect(codeOf(await bob.ask(FILE, { id: application.id }))).toBe('NOT_FOUND');
    await addToTeam(ada, team, bob, 'READ_ONLY');
    expect((await fileOf(bob)).name).toBe('Helper');
    expect(codeOf(await plan({}, bob))).toBe('FORBIDDEN');
    expect(codeOf(await send({ file: {}, planDigest: 'x' }, bob))).toBe('FORBIDDEN');
  });
});

describe('a plan', () => {
  test('lists what is created, changed and deleted, and changes nothing', async () => {
    await apply({
      commands: [LUNCH, { name: 'old', description: 'Goes' }],
      webhooks: [webhook(), webhook({ name: 'Gone' })],
    });
    const before = await fileOf();
    const entries = await planned({
      name: 'Kitchen',
      commands: [
        { ...LUNCH, description: 'Orders food' },
        { name: 'new', description: 'Comes' },
      ],
      webhooks: [{ ...before.webhooks[0], name: 'Releases' }, webhook({ channel: secondChannelId })],
    });
    expect(changesIn(entries)).toEqual([
      'set name',
      'CHANGED lunch',
      'CREATED new',
      'DELETED old',
      'CHANGED Deploys',
      'CREATED Deploys',
      'DELETED Gone',
    ]);
    expect(entries.settings).toEqual([{ field: 'name', before: 'Helper', after: 'Kitchen' }]);
    expect(entries.webhooks[0].changes).toEqual([{ field: 'name', before: 'Deploys', after: 'Releases' }]);
    expect(await fileOf()).toEqual(before);
  });

  test('leaves what the file omits, and deletes what an empty list omits', async () => {
    await apply({ commands: [LUNCH], webhooks: [webhook()] });
    expect(changesIn(await planned({}))).toEqual([]);
    expect(changesIn(await planned({ description: 'Helps' }))).toEqual(['set description']);
    expect(changesIn(await planned({ commands: [], webhooks: [] }))).toEqual(['DELETED lunch', 'DELETED Deploys']);
  });

  test('shows the command permissions that would be lost', async () => {
    await install(ada, application, guild);
    await apply({ commands: [LUNCH] });
    const [command] = await server.app.db.reader.applicationCommand.findMany({
      where: { applicationId: BigInt(application.id) },
    });
    const key = { guildId: BigInt(guild.id), applicationId: BigInt(application.id), commandId: command?.id ?? 0n };
    await putPermissions(server.app, key, { targetType: OF_ROLE, targetId: BigInt(guild.id), allow: true });
    const { commands } = await planned({ commands: [] });
    expect(commands).toMatchObject([
      { change: 'DELETED', grantsLost: 1, grantsLostIn: [{ id: guild.id }], grantsLostElsewhere: 0 },
    ]);
  });

  test('gives commands the install contexts of the file', async () => {
    await apply({ commands: [LUNCH] });
    const entries = await planned({ userInstall: true, commands: [LUNCH] });
    expect(entries.commands).toMatchObject([{ change: 'CHANGED', fields: ['integration_types'] }]);
    const { errors } = await apply({ userInstall: true, commands: [LUNCH] });
    expect(errors).toEqual([]);
    expect(changesIn(await planned(await fileOf()))).toEqual(['UNCHANGED lunch']);
  });

  test('pairs a webhook without an id with one of the same name and channel', async () => {
    await apply({ webhooks: [webhook(), webhook()] });
    expect(changesIn(await planned({ webhooks: [webhook()] }))).toEqual(['UNCHANGED Deploys', 'DELETED Deploys']);
    expect(changesIn(await planned({ webhooks: [webhook({ name: 'x' })] }))).toEqual([
      'CREATED x',
      'DELETED Deploys',
      'DELETED Deploys',
    ]);
  });

  test('merges given install settings into the others', async () => {
    const { settings } = await planned({ defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot'] }] });
    expect(settings).toEqual([
      {
        field: 'defaultInstallSettings',
        before: [
          { context: 'SERVER', scopes: ['bot', 'applications.commands'], permissions: '0' },
          { context: 'USER', scopes: ['applications.commands'] },
        ],
        after: [
          { context: 'SERVER', scopes: ['bot'], permissions: '0' },
          { context: 'USER', scopes: ['applications.commands'] },
        ],
      },
    ]);
    expect(await planned({ privilegedIntents: ['MESSAGE_CONTENT', 'PRESENCES', 'GUILD_MEMBERS'] })).toMatchObject({
      settings: [],
    });
  });

  test.each<[object, Record<string, string[]>]>([
    [{ nam: 'x' }, { 'file.nam': ['This field is not supported.'] }],
    [{ name: 'x' }, { 'file.name': ['Must be between 2 and 32 in length.'] }],
    [{ commands: null }, { 'file.commands': ['Write [] for an empty list, or remove this field.'] }],
    [{ webhooks: null }, { 'file.webhooks': ['Write [] for an empty list, or remove this field.'] }],
    [{ commands: [{ ...LUNCH, descripton: 'x' }] }, { 'file.commands.0.descripton': ['This field is not supported.'] }],
    [
      { commands: [{ name: 'a', description: 'b', options: [{ type: 3, name: 'c', description: 'd', choises: [] }] }] },
      { 'file.commands.0.options.0.choises': ['This field is not supported.'] },
    ],
    [
      { commands: [{ name: 'Upper', description: 'b' }] },
      { 'file.commands.0.name': ['Command name is invalid: letters must be lowercase.'] },
    ],
    [{ webhooks: [{ name: 'x' }] }, { 'file.webhooks.0.channel': ['This field is required'] }],
    [
      { userInstall: false, serverInstall: false },
      { 'file.serverInstall': ['At least one of user install and server install must be enabled.'] },
    ],
    [
      { webhooks: [{ id: '1', name: 'x', channel: '2' }] },
      { 'file.webhooks.0.id': ['The application has no webhook with this ID. Remove the ID to create one.'] },
    ],
    [
      { webhooks: [{ name: 'x', channel: '2' }] },
      { 'file.webhooks.0.channel': ['This channel does not exist, or you cannot see it.'] },
    ],
  ])('of %j is refused at its field', async (file, faults) => {
    expect(faultsOf(await plan(file))).toEqual(faults);
  });

  test('refuses a webhook in a channel that holds no messages', async () => {
    const { createChannel } = await ada.graphql(CREATE_CHANNEL, { input: { guildId: guild.id, name: 'C', type: 4 } });
    expect(faultsOf(await plan({ webhooks: [webhook({ channel: createChannel.channel.id })] }))).toEqual({
      'file.webhooks.0.channel': ['A webhook needs a channel that holds messages.'],
    });
  });

  test('refuses a webhook in a server that the caller is not in, or does not manage', async () => {
    const team = await createTeam(ada);
    await transferApplication(ada, application, team);
    await addToTeam(ada, team, bob, 'DEVELOPER');
    const refusal = async () => faultsOf(await plan({ webhooks: [webhook()] }, bob))['file.webhooks.0.channel'];
    expect(await refusal()).toEqual(['This channel does not exist, or you cannot see it.']);
    await invite(ada, guild, bob);
    expect(await refusal()).toEqual(['You need the “Manage server” permission in the server of this channel.']);
  });
});

describe('applying a file', () => {
  test('changes everything, returns the URLs of new webhooks, and then plans no change', async () => {
    const file = { name: 'Kitchen', description: 'Cooks', commands: [LUNCH], webhooks: [webhook()] };
    const { data, errors } = await apply(file);
    expect(errors).toEqual([]);
    const { applied, application: changed, createdWebhooks } = data.applyApplicationFile;
    expect([applied, changed.name, createdWebhooks.length]).toEqual([true, 'Kitchen', 1]);
    expect((await ask(server, 'POST', createdWebhooks[0].url, { json: { content: 'hi' } })).status).toBe(200);
    expect(await fileOf()).toMatchObject({ name: 'Kitchen', description: 'Cooks', commands: [LUNCH] });
    expect(await actions()).toEqual(['APPLICATION_UPDATE', 'COMMANDS_OVERWRITE', 'APPLICATION_WEBHOOK_CREATE']);
    expect(changesIn(await planned(file))).toEqual(['UNCHANGED lunch', 'UNCHANGED Deploys']);
    await apply(file);
    expect(await actions()).toHaveLength(3);
  });

  test('renames, moves and deletes webhooks, whose other URLs stay valid', async () => {
    const { data } = await apply({ webhooks: [webhook(), webhook({ name: 'Gone' })] });
    const [{ url, webhook: kept }, gone] = data.applyApplicationFile.createdWebhooks;
    await apply({ webhooks: [{ id: kept.id, name: 'Releases', channel: secondChannelId }] });
    expect((await fileOf()).webhooks).toEqual([{ id: kept.id, name: 'Releases', channel: secondChannelId }]);
    const post = async (to: string) => (await ask(server, 'POST', to, { json: { content: 'hi' } })).status;
    expect([await post(url), await post(gone.url)]).toEqual([200, 404]);
  });

  test.each<[what: string, change: () => Promise<unknown>]>([
    ['a setting', () => update(ada, application.id, { name: 'Other' })],
    [
      'a command',
      () =>
        ada.graphql(CREATE_COMMAND, {
          input: { applicationId: application.id, command: { name: 'late', description: 'x' } },
        }),
    ],
    [
      'a webhook',
      () =>
        ada.graphql(CREATE_WEBHOOK, {
          input: { applicationId: application.id, name: 'Late', channelId: guild.textChannelId },
        }),
    ],
  ])('is refused as a whole if %s changed after the plan', async (_what, change) => {
    const file = { name: 'Kitchen', commands: [LUNCH], webhooks: [webhook()] };
    const { digest } = await planned(file);
    await change();
    const before = await fileOf();
    const answer = await apply(file, digest);
    expect([codeOf(answer), answer.errors[0]?.message]).toEqual([
      'CONFLICT',
      'The application changed after this plan was made, so nothing was applied. Review a new plan, then apply that.',
    ]);
    expect(await fileOf()).toEqual(before);
  });

  test('is refused if the plan is of another file, and without a plan', async () => {
    const { digest } = await planned({ commands: [LUNCH] });
    expect(codeOf(await apply({ commands: [{ ...LUNCH, description: 'Other' }] }, digest))).toBe('CONFLICT');
    expect(faultsOf(await send({ file: {} }))).toEqual({
      planDigest: ['Make a plan with dryRun first, and pass its digest.'],
    });
  });

  test('is possible with a personal token', async () => {
    const { createPersonalToken } = await ada.graphql(
      'mutation { createPersonalToken(input: { name: "CI" }) { token } }',
    );
    const withToken = (query: string, variables: object) =>
      askGraphql(server, query, variables, { authorization: `Bearer ${createPersonalToken.token}` });
    const { digest } = await planned({ name: 'Kitchen' });
    const input = { applicationId: application.id, file: { name: 'Kitchen' }, planDigest: digest };
    expect((await withToken(APPLY, { input })).data?.applyApplicationFile.applied).toBe(true);
    expect((await withToken(FILE, { id: application.id })).data?.application.file.name).toBe('Kitchen');
  });

  test('changes nothing if one part fails', async () => {
    await apply({ commands: [{ name: 'old', description: 'Stays' }], webhooks: [webhook({ name: 'Stays' })] });
    const before = await fileOf();
    const file = { name: 'Kitchen', commands: [LUNCH], webhooks: [webhook()] };
    const { digest } = await planned(file);
    const failing = failStatements(/^INSERT INTO .*"?Webhook/);
    try {
      expect((await apply(file, digest)).errors).toHaveLength(1);
      expect(failing.count()).toBeGreaterThan(0);
    } finally {
      failing.heal();
    }
    expect(await fileOf()).toEqual(before);
    expect((await apply(file, digest)).errors).toEqual([]);
  });

  test('is refused with a failed probe of a new endpoint, before anything changes', async () => {
    const endpoint = await startEndpoint();
    const file = { name: 'Kitchen', interactionsEndpointUrl: endpoint.url };
    const refused = await apply(file);
    expect(Object.keys(faultsOf(refused))).toEqual(['file.interactionsEndpointUrl']);
    expect((await fileOf()).name).toBe('Helper');
    endpoint.trust(application.publicKey);
    expect((await apply(file)).errors).toEqual([]);
    expect(await fileOf()).toMatchObject(file);
    await endpoint.close();
  });

  test('succeeds once if ten callers apply the same plan', async () => {
    const file = { name: 'Kitchen', commands: [LUNCH], webhooks: [webhook()] };
    const { digest } = await planned(file);
    const answers = await Promise.all(Array.from({ length: 10 }, () => apply(file, digest)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    expect(new Set(answers.flatMap(({ errors }) => errors.map(({ extensions }) => extensions.code)))).toEqual(
      new Set(['CONFLICT']),
    );
    expect((await fileOf()).webhooks).toHaveLength(1);
  });
});
