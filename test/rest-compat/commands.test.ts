import { ContextMenuCommandBuilder, REST, SlashCommandBuilder } from 'discord.js';
import { type APIApplicationCommand, ApplicationCommandType, ChannelType, Routes } from 'discord-api-types/v10';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import { expectReference } from '../harness/reference.js';
import { ask, openScene, type RestBot, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { createBot, createGuild as createOwnGuild } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
let bot: RestBot;
let everywhere: string;
let there: string;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  bot = scene.bot;
  everywhere = `/applications/${bot.id}/commands`;
  there = `/applications/${bot.id}/guilds/${scene.guildId}/commands`;
});

const put = (address: string, json: unknown) => bot.ask('PUT', address, { json });
const chat = (name: string, more: object = {}) => ({ name, description: 'Does something', ...more });

const FULL = {
  name: 'full',
  type: 1,
  name_localizations: { de: 'voll', 'es-ES': 'lleno' },
  description: 'Has everything',
  description_localizations: { de: 'Hat alles' },
  options: [
    {
      type: 2,
      name: 'group',
      description: 'A group',
      name_localizations: { de: 'gruppe' },
      options: [
        {
          type: 1,
          name: 'sub',
          description: 'A subcommand',
          options: [
            { type: 3, name: 'text', description: 'A text', required: true, min_length: 1, max_length: 9 },
            {
              type: 4,
              name: 'whole',
              description: 'A number',
              required: true,
              choices: [
                { name: 'Most', name_localizations: { de: 'Meist' }, value: 9007199254740991 },
                { name: 'Least', value: -9007199254740991 },
              ],
            },
            { type: 10, name: 'number', description: 'A number', min_value: -0.5, max_value: 9007199254740992 },
            { type: 5, name: 'yes', description: 'A switch' },
            { type: 6, name: 'user', description: 'A user' },
            { type: 7, name: 'where', description: 'A channel', channel_types: [0, 5] },
            { type: 8, name: 'role', description: 'A role' },
            { type: 9, name: 'whom', description: 'A user or a role' },
            { type: 11, name: 'file', description: 'A file', file_types: ['image', '.pdf'] },
            { type: 3, name: 'more', description: 'A text', autocomplete: true },
          ],
        },
      ],
    },
    { type: 1, name: 'alone', description: 'Another subcommand', description_localizations: { fr: 'Un autre' } },
  ],
  default_member_permissions: '8',
  nsfw: true,
  integration_types: [0, 1],
  contexts: [0, 2],
  dm_permission: false,
};

describe('POST …/commands', () => {
  test('201: creates a command with every field set', async () => {
    const { status, body } = await bot.post(everywhere, FULL);
    expect(status).toBe(201);
    expectReference('ApplicationCommandResponse', body);
    expect(body).toEqual({ ...FULL, id: body.id, version: body.version, application_id: bot.id });
  });

  test('201: creates a command with only the required fields', async () => {
    const { body } = await bot.post(everywhere, chat('ping'));
    expect(body).toEqual({
      ...{ id: body.id, application_id: bot.id, version: body.version, type: 1, name: 'ping' },
      ...{ description: 'Does something', name_localizations: null, description_localizations: null },
      ...{ default_member_permissions: null, nsfw: false },
      ...{ integration_types: [0], contexts: null, dm_permission: true },
    });
  });

  test('201: creates a guild command with its guild_id and without contexts', async () => {
    const { status, body } = await bot.post(there, { ...FULL });
    const { contexts: _1, integration_types: _2, dm_permission: _3, ...rest } = FULL;
    expect(status).toBe(201);
    expectReference('ApplicationCommandResponse', body);
    expect(body).toEqual({
      ...rest,
      ...{ id: body.id, version: body.version, application_id: bot.id, guild_id: scene.guildId },
    });
  });

  test('200: replaces the command of the same type and name', async () => {
    const made = (await bot.post(everywhere, FULL)).body;
    const { status, body } = await bot.post(everywhere, chat('full'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: made.id, description: 'Does something', nsfw: false, contexts: null });
    expect(body).not.toHaveProperty('options');
    expect(BigInt(body.version)).toBeGreaterThan(BigInt(made.version));
  });

  test.each([' Ban ', 'ban', 'PoLL', '8ball'])(
    '400 code 50035: %j is a reserved name, and the message names it',
    async (name) => {
      for (const type of [1, 2, 3]) {
        const { status, body } = await bot.post(there, { name, type, ...(type === 1 ? { description: 'x' } : {}) });
        const told = `Command names reserved for built-in commands: "${name.trim()}". Rename them, or ask the operator of this instance to set BUILT_IN_COMMANDS=off.`;
        const message = `The command name "${name.trim()}" is reserved for a built-in command.`;
        expect({ status, body }).toEqual({
          status: 400,
          body: {
            message: told,
            code: 50035,
            errors: { name: { _errors: [{ code: 'APPLICATION_COMMAND_NAME_RESERVED', message }] } },
          },
        });
      }
    },
  );

  test.each(['banish', 'clearall', 'server-info', 'warn'])('201: %s is not a reserved name', async (name) => {
    expect((await bot.post(everywhere, chat(name))).status).toBe(201);
  });

  test('400 code 50035: reports each fault at its path', async () => {
    const options = [
      {
        type: 3,
        name: 'a',
        description: 'b',
        choices: [
          { name: 'c', value: 'd' },
          { name: '', value: 'e' },
        ],
      },
    ];
    const { status, body } = await bot.post(everywhere, chat('Capital', { options }));
    expect({ status, code: body.code, message: body.message }).toEqual({
      ...{ status: 400, code: 50035, message: 'Invalid Form Body' },
    });
    const message = expect.any(String);
    expect(body.errors).toEqual({
      name: { _errors: [{ code: 'APPLICATION_COMMAND_INVALID_NAME', message }] },
      options: { 0: { choices: { 1: { name: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message }] } } } } },
    });
  });

  test('400 code 30032: refuses the 101st command', async () => {
    await put(
      everywhere,
      Array.from({ length: 100 }, (_, n) => chat(`c${n}`)),
    );
    const { status, body } = await bot.post(everywhere, chat('more'));
    expect({ status, body }).toEqual({
      status: 400,
      body: { message: 'Maximum number of application commands reached (100)', code: 30032 },
    });
  });

  test('400 code 30034: refuses the 201st creation of a day', async () => {
    await put(
      everywhere,
      Array.from({ length: 100 }, (_, n) => chat(`a${n}`)),
    );
    await put(
      everywhere,
      Array.from({ length: 100 }, (_, n) => chat(`b${n}`)),
    );
    const { status, body } = await put(everywhere, [chat('more')]);
    expect({ status, body }).toEqual({
      status: 400,
      body: { message: 'Max number of daily application command creates has been reached (200)', code: 30034 },
    });
  });
});

describe('GET …/commands', () => {
  test('200: lists all commands of the scope, oldest first, without localizations', async () => {
    await put(everywhere, [FULL, chat('ping'), { name: 'View It', type: 2 }]);
    await bot.post(there, chat('local'));
    const { status, body } = await bot.get(everywhere);
    expect([status, body.map(({ name }: { name: string }) => name)]).toEqual([200, ['full', 'ping', 'View It']]);
    expect(JSON.stringify(body)).not.toContain('locali');
    for (const command of body) expectReference('ApplicationCommandResponse', command);
    expect((await bot.get(there)).body).toMatchObject([{ name: 'local', guild_id: scene.guildId }]);
  });

  test('200: includes localizations on request', async () => {
    const { body } = await put(everywhere, [FULL, { name: 'View It', type: 2 }]);
    expect((await bot.get(`${everywhere}?with_localizations=true`)).body).toEqual(body);
    expect(body[0]).toMatchObject({ name_localizations: FULL.name_localizations, options: FULL.options });
    expect(body[1]).toMatchObject({ type: 2, description: '', name_localizations: null });
  });

  test.each([
    [{ 'x-discord-locale': 'de' }, 'voll'],
    [{ 'x-discord-locale': 'es-419' }, 'lleno'],
    [{ 'x-discord-locale': 'fr' }, undefined],
    [{ 'x-discord-locale': 'none', 'accept-language': 'de' }, undefined],
    [{ 'accept-language': 'xx, fr;q=0.2, de-AT;q=0.8, en;q=0' }, 'voll'],
    [{ 'accept-language': '*' }, undefined],
    [{ 'accept-language': ';;,q=' }, undefined],
  ])('200: localizes for %j with %j as the name', async (headers, name) => {
    await put(everywhere, [FULL]);
    const { body } = await bot.ask('GET', everywhere, { headers });
    expect(body[0].name_localized).toBe(name);
    expect(body[0].description_localized).toBe(name === 'voll' ? 'Hat alles' : undefined);
    expect(body[0].options[0].name_localized).toBe(name === 'voll' ? 'gruppe' : undefined);
    const [, whole] = body[0].options[0].options[0].options;
    expect(whole.choices[0].name_localized).toBe(name === 'voll' ? 'Meist' : undefined);
    expect(body[0]).not.toHaveProperty('name_localizations');
  });
});

describe('PUT …/commands', () => {
  test('200: replaces all commands of every type; matching ones keep their ids', async () => {
    const before = (await put(everywhere, [chat('a'), chat('b'), { name: 'M', type: 3 }, { name: 'M', type: 2 }])).body;
    const { status, body } = await put(everywhere, [{ name: 'M', type: 3 }, FULL, chat('b', { nsfw: true })]);
    expect(status).toBe(200);
    const [, b, message] = before;
    expect(body).toMatchObject([{ id: b.id, nsfw: true }, message, { name: 'full' }]);
    expect((await put(everywhere, [])).body).toEqual([]);
  });

  test('200: an unchanged set keeps its versions', async () => {
    const { body } = await put(everywhere, [FULL, chat('ping')]);
    expect((await put(everywhere, body)).body).toEqual(body);
    expect((await put(everywhere, [chat('ping'), FULL])).body).toEqual(body);
  });

  test('400: one invalid entry fails the set, and is reported at its index', async () => {
    await put(everywhere, [chat('a')]);
    const { status, body } = await put(everywhere, [chat('b'), chat('c'), chat('Kick')]);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
    expect(body.message).toContain('"Kick"');
    expect(Object.keys(body.errors)).toEqual(['2']);
    expect((await bot.get(everywhere)).body).toMatchObject([{ name: 'a' }]);
  });

  test('400: refuses two commands with the same type and name', async () => {
    const { status, body } = await put(there, [chat('a'), chat('a')]);
    expect(status).toBe(400);
    expect(body.errors).toEqual({
      1: {
        _errors: [{ code: 'APPLICATION_COMMANDS_DUPLICATE_NAME', message: 'Application command names must be unique' }],
      },
    });
  });

  test('400: refuses a body that is not a list', async () => {
    expect((await put(everywhere, { name: 'a' })).body.errors).toMatchObject({
      _errors: [{ code: 'LIST_TYPE_CONVERT' }],
    });
  });
});

describe('…/commands/{id}', () => {
  test('200: GET and PATCH return the whole command; PATCH changes only the given fields', async () => {
    const { body } = await bot.post(everywhere, FULL);
    const one = `${everywhere}/${body.id}`;
    expect((await bot.get(one)).body).toEqual(body);
    expect(await bot.patch(one, {})).toMatchObject({ status: 200, body });
    const patched = (await bot.patch(one, { name: 'other', options: null, contexts: null, dm_permission: true })).body;
    const { options: _, ...rest } = body;
    expect(patched).toEqual({ ...rest, name: 'other', contexts: null, dm_permission: true, version: patched.version });
    expect(patched.version).not.toBe(body.version);
  });

  test('400: PATCH refuses a taken (40041) or reserved (50035) name', async () => {
    const [one] = (await put(there, [chat('a'), chat('b')])).body;
    const taken = await bot.patch(`${there}/${one.id}`, { name: 'b' });
    expect([taken.status, taken.body]).toEqual([
      400,
      { message: 'An application command with that name already exists', code: 40041 },
    ]);
    const reserved = await bot.patch(`${there}/${one.id}`, { name: 'AFK' });
    expect([reserved.status, reserved.body.code, reserved.body.message]).toEqual([
      400,
      50035,
      expect.stringContaining('"AFK"'),
    ]);
  });

  test('400: PATCH validates against the type of the command', async () => {
    const { body } = await bot.post(everywhere, chat('play'));
    const { status, body: refusal } = await bot.patch(`${everywhere}/${body.id}`, {
      options: [{ type: 3 }],
      name: null,
    });
    expect(status).toBe(400);
    expect(Object.keys(refusal.errors)).toEqual(['name', 'options']);
  });

  test('204: DELETE removes the command once, then returns 404', async () => {
    const { body } = await bot.post(there, chat('play'));
    expect((await bot.delete(`${there}/${body.id}`)).status).toBe(204);
    expect(await bot.delete(`${there}/${body.id}`)).toMatchObject({ status: 404, body: { code: 10063 } });
    expect((await bot.get(there)).body).toEqual([]);
  });

  test('404 code 10063: a guild command is unknown at the global route', async () => {
    const { body } = await bot.post(there, chat('play'));
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { json: {} } : {};
      expect(await bot.ask(method, `${everywhere}/${body.id}`, json)).toMatchObject({
        status: 404,
        body: { code: 10063 },
      });
    }
  });
});

describe('the owner of commands', () => {
  const rows = (address: string, id: string): [string, string, object][] => [
    ['GET', address, {}],
    ['POST', address, { json: chat('mine') }],
    ['PUT', address, { json: [] }],
    ['GET', `${address}/${id}`, {}],
    ['PATCH', `${address}/${id}`, { json: { description: 'Mine' } }],
    ['DELETE', `${address}/${id}`, {}],
  ];

  test('403 code 20012: another application can neither read nor write them', async () => {
    for (const address of [everywhere, there]) {
      const { body } = await bot.post(address, chat('play'));
      for (const [method, path, request] of rows(address, body.id)) {
        expect(await scene.other.ask(method, path, request)).toMatchObject({ status: 403, body: { code: 20012 } });
      }
      expect((await bot.get(`${address}/${body.id}`)).body).toEqual(body);
    }
  });

  test('404 code 10063: another application does not find them under its own id', async () => {
    const { body } = await bot.post(everywhere, chat('play'));
    const own = `/applications/${scene.other.id}/commands/${body.id}`;
    for (const [method, json] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
      expect(await scene.other.ask(method, own, json && { json })).toMatchObject({
        status: 404,
        body: { code: 10063 },
      });
    }
  });

  test('403 code 50001 in a guild without the application, 404 code 10004 in an unknown guild', async () => {
    const guild = await createOwnGuild(server.app);
    for (const [guildId, status, code] of [
      [guild.id, 403, 50001],
      [1n, 404, 10004],
    ] as const) {
      for (const [method, path, request] of rows(`/applications/${bot.id}/guilds/${guildId}/commands`, '1')) {
        expect(await bot.ask(method, path, request)).toMatchObject({ status, body: { code } });
      }
    }
  });

  test('401 without a credential, and with a portal session', async () => {
    const { token } = await signUp(server, 'visitor');
    for (const [method, path, request] of rows(everywhere, '1')) {
      expect((await ask(server, method, path, request)).status).toBe(401);
      expect(
        (await ask(server, method, path, { ...request, headers: { authorization: `Bearer ${token}` } })).status,
      ).toBe(401);
    }
  });
});

describe('a Bearer token for commands', () => {
  let owner: Person;
  let application: MadeApplication;
  beforeAll(async () => {
    owner = await signUp(server, 'registrar');
    application = await createApplication(owner);
    const where = { id: BigInt(application.id) };
    await server.app.db.writer.application.update({ where, data: { redirectUris: [REDIRECT_URI] } });
  });

  const tokenBy = async (form: Record<string, string>) =>
    (await postForm(server, { ...form, ...inForm(application) })).body.access_token as string;
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const mine = () => `/applications/${application.id}/commands`;

  test("201: accepts the application's own client-credentials token", async () => {
    const token = await tokenBy({ grant_type: 'client_credentials', scope: 'applications.commands' });
    const { status, body } = await ask(server, 'POST', mine(), { json: chat('play'), ...bearer(token) });
    expect(status).toBe(201);
    expect((await ask(server, 'GET', mine(), bearer(token))).body).toMatchObject([{ id: body.id }]);
    const guild = await createGuild(owner);
    const guildCommands = `/applications/${application.id}/guilds/${guild.id}/commands`;
    expect(await ask(server, 'PUT', guildCommands, { json: [], ...bearer(token) })).toMatchObject({
      body: { code: 50001 },
    });
    await install(owner, application, guild, { scopes: ['applications.commands'] });
    expect((await ask(server, 'PUT', guildCommands, { json: [chat('here')], ...bearer(token) })).status).toBe(200);
  });

  test('403 code 20012: refuses its own token for another application', async () => {
    const token = await tokenBy({ grant_type: 'client_credentials', scope: 'applications.commands' });
    expect(await ask(server, 'GET', everywhere, bearer(token))).toMatchObject({ status: 403, body: { code: 20012 } });
  });

  test('403 code 50026: refuses its own token with another scope', async () => {
    const token = await tokenBy({ grant_type: 'client_credentials', scope: 'identify' });
    expect(await ask(server, 'GET', mine(), bearer(token))).toMatchObject({ status: 403, body: { code: 50026 } });
  });

  test('403 code 20012: refuses a token that a user granted, even with the scope', async () => {
    const guild = await createGuild(owner);
    const scope = 'identify applications.commands';
    const code = await grantCode(server, owner, application, { scope, guildId: guild.id });
    const token = await tokenBy({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });
    for (const method of ['GET', 'PUT']) {
      const json = method === 'PUT' ? { json: [] } : {};
      expect(await ask(server, method, mine(), { ...json, ...bearer(token) })).toMatchObject({
        status: 403,
        body: { code: 20012 },
      });
    }
  });
});

function commands(): fc.Arbitrary<Record<string, unknown>> {
  const name = fc
    .stringMatching(/^[a-z0-9_-]{1,12}$/)
    .filter((text) => !/^(ban|kick|me|clear|flip|love|afk|poll|ascii|choice|avatar|lenny)$/.test(text));
  const description = fc.stringMatching(/^[A-Z][a-z ,]{0,20}[a-z]$/);
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const names = maybe(
    fc.dictionary(fc.constantFrom('de', 'fr', 'zh-CN'), fc.stringMatching(/^[äöüß]{2,9}$/), { minKeys: 1 }),
  );
  const descriptions = maybe(
    fc.dictionary(fc.constantFrom('de', 'ja'), fc.stringMatching(/^[0-9äöü]{2,9}$/), { minKeys: 1 }),
  );
  const described = { name, description, description_localizations: descriptions };
  const choicesOf = (value: fc.Arbitrary<unknown>) =>
    fc.array(fc.record({ name: description, value }), { minLength: 1, maxLength: 3 });
  const double = fc.double({ min: -(2 ** 53), max: 2 ** 53, noNaN: true }).map((value) => value || 0);
  const whole = fc.maxSafeInteger().map((value) => value || 0);
  const plain = fc.oneof(
    fc.record({
      type: fc.constant(3),
      ...described,
      required: maybe(fc.boolean()),
      choices: maybe(
        choicesOf(fc.string({ maxLength: 20, unit: 'grapheme' }).filter((text) => !text.includes('\u0000'))),
      ),
      max_length: maybe(fc.integer({ min: 1, max: 6000 })),
    }),
    fc.record({ type: fc.constant(4), ...described, choices: maybe(choicesOf(whole)), min_value: maybe(whole) }),
    fc.record({
      type: fc.constant(10),
      ...described,
      autocomplete: maybe(fc.constant(true)),
      max_value: maybe(double),
    }),
    fc.record({ type: fc.constantFrom(5, 6, 8, 9), ...described }),
    fc.record({
      type: fc.constant(7),
      ...described,
      channel_types: maybe(fc.uniqueArray(fc.constantFrom(0, 2, 4, 5, 13, 15), { minLength: 1 })),
    }),
    fc.record({
      type: fc.constant(11),
      ...described,
      file_types: maybe(fc.constantFrom(['image'], ['.pdf', 'audio'])),
    }),
  );
  const distinct = <Value extends { name: string; required?: boolean | undefined }>(
    option: fc.Arbitrary<Value>,
    minLength = 0,
  ) =>
    fc
      .uniqueArray(option, { minLength, maxLength: 4, selector: ({ name: own }) => own })
      .map((options) =>
        options.toSorted((one, other) => Number(other.required ?? false) - Number(one.required ?? false)),
      );
  const subcommand = fc.record({ type: fc.constant(1), ...described, options: maybe(distinct(plain, 1)) });
  const group = fc.record({ type: fc.constant(2), ...described, options: distinct(subcommand, 1) });
  const options = maybe(fc.oneof(distinct(plain, 1), distinct(fc.oneof(subcommand, group), 1)));
  const shared = {
    name_localizations: names,
    default_member_permissions: maybe(fc.bigInt(0n, 2n ** 60n).map(String)),
    nsfw: maybe(fc.boolean()),
    integration_types: maybe(fc.constantFrom([0], [1], [0, 1])),
    contexts: maybe(fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 })),
  };
  return fc.oneof(
    fc.record({ ...described, ...shared, type: maybe(fc.constant(1)), options }),
    fc.record({ name: description.map((text) => `${text} it`), ...shared, type: fc.constantFrom(2, 3) }),
  );
}

describe('any valid command', { tags: ['slow'] }, () => {
  const stated = (command: Record<string, unknown>) => JSON.parse(JSON.stringify(command));

  test('is returned unchanged by POST, GET, PUT and PATCH', async () => {
    await fc.assert(
      fc.asyncProperty(commands(), async (command) => {
        await put(everywhere, []);
        const { status, body } = await put(everywhere, [command]);
        expect([status, body[0]]).toMatchObject([200, stated(command)]);
        const [made] = body;
        const one = `${everywhere}/${made.id}`;
        const again = await bot.post(everywhere, command);
        expect([again.status, again.body]).toEqual([200, made]);
        expect((await bot.get(one)).body).toEqual(made);
        expect((await bot.patch(one, {})).body).toEqual(made);
        expect((await bot.patch(one, stated(command))).body).toEqual(made);
        expect((await put(everywhere, [made])).body).toEqual([made]);
        expect((await bot.get(`${everywhere}?with_localizations=1`)).body).toEqual([made]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('an unmodified discord.js', () => {
  test('registers the commands from its builders and reads them back', async () => {
    const { app } = server;
    const guild = await createOwnGuild(app);
    const { id, token } = await createBot(app, { owner: await createPerson(app) });
    const rest = new REST({ api: `${server.origin}/api`, version: '10' }).setToken(token);
    const play = new SlashCommandBuilder()
      .setName('play')
      .setNameLocalizations({ de: 'spielen', fr: null })
      .setDescription('Plays a song')
      .setDefaultMemberPermissions(8n)
      .setContexts(0, 1)
      .setNSFW(true)
      .addStringOption((option) =>
        option.setName('song').setDescription('Which').setRequired(true).setMaxLength(100).setAutocomplete(true),
      )
      .addChannelOption((option) =>
        option.setName('where').setDescription('Where').addChannelTypes(ChannelType.GuildVoice),
      )
      .addIntegerOption((option) =>
        option
          .setName('volume')
          .setDescription('How loud')
          .addChoices({ name: 'Low', value: 1 }, { name: 'High', value: 9 }),
      );
    const queue = new SlashCommandBuilder()
      .setName('queue')
      .setDescription('What comes')
      .addSubcommandGroup((group) =>
        group
          .setName('list')
          .setDescription('Lists')
          .addSubcommand((one) =>
            one
              .setName('show')
              .setDescription('Shows')
              .addBooleanOption((o) => o.setName('all').setDescription('All')),
          ),
      )
      .addSubcommand((one) => one.setName('clear').setDescription('Clears'));
    const quote = new ContextMenuCommandBuilder().setName('Quote This').setType(ApplicationCommandType.Message);
    const body = [play, queue, quote].map((builder) => builder.toJSON());
    const route = Routes.applicationCommands(String(id));
    const made = (await rest.put(route, { body })) as APIApplicationCommand[];
    expect(made.map(({ name, type }) => [name, type])).toEqual([
      ['play', 1],
      ['queue', 1],
      ['Quote This', 3],
    ]);
    expect(made[0]).toMatchObject({
      name_localizations: { de: 'spielen' },
      default_member_permissions: '8',
      contexts: [0, 1],
      nsfw: true,
    });
    expect(await rest.get(`${route}?with_localizations=true`)).toEqual(made);
    expect(await rest.put(route, { body })).toEqual(made);
    expect(await rest.post(route, { body: quote.toJSON() })).toEqual(made[2]);
    await rest.delete(Routes.applicationCommand(String(id), made[1]?.id ?? ''));
    expect(await rest.get(route)).toHaveLength(2);
    const inGuild = rest.put(Routes.applicationGuildCommands(String(id), String(guild.id)), { body });
    await expect(inGuild).rejects.toMatchObject({ code: 50001, status: 403 });
    const bad = rest.post(route, { body: { name: 'kick', description: 'Kicks' } });
    await expect(bad).rejects.toMatchObject({ code: 50035, status: 400, message: expect.stringContaining('"kick"') });
  });
});
