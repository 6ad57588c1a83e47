import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { DomainError } from '../../src/domain/errors.js';
import { parseInTurns } from '../../src/domain/parse-input.js';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { coerceTo } from '../../src/rest-compat/coerce.js';
import { parseJson } from '../../src/rest-compat/json.js';
import type { Route } from '../../src/rest-compat/route.js';
import { routes } from '../../src/rest-compat/table.js';
import { fieldsOf, namesIn } from '../harness/fields.js';
import type { Loose } from '../harness/graphql.js';
import { EVERY_FIELD_MS, HOSTILE_OTHERS, HOSTILE_TEXTS } from '../harness/hostile-values.js';
import { dataUri, PIXEL } from '../harness/images.js';
import { putAnswered, putInteraction } from '../harness/interaction-rows.js';
import { readableLog } from '../harness/log.js';
import { inForm, postForm } from '../harness/oauth.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import { ask, openScene, type RestAnswer, type Scene } from '../harness/rest.js';
import { putWebhook } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { putTeam } from '../harness/teams.js';
import { addMember, userOf } from '../harness/world.js';

/**
 * Every hostile value in every query parameter and body field gets a response that is not a 5xx. Fields of a
 * component or option type are tried at the first route that takes it. All bodies that pass the route's schema are
 * sent. Of the refused ones, one per value is sent.
 */

/** Whole numbers in JSON that a double cannot hold. They replace {@link RAW} in the text. */
const RAW_NUMBERS = ['9223372036854775808', '9'.repeat(40), '1e400'];
const RAW = '(a number)';

type Params = Record<string, string>;
type Credential = 'bot' | 'session' | 'scope' | 'interaction' | 'webhook';

const { log, lines: faults } = readableLog();
let server: TestServer;
let scene: Scene;
let ada: Person;
let params: Record<Credential, Params>;
let layout: Params;
let ofGuild: Params;
let token: string;

/** Values by field name that a body needs next to the hostile field to reach the database. */
const samples: Record<string, unknown> = {
  access_token: 'none',
  app_name: 'Helper',
  content: 'hello',
  custom_id: 'press',
  description: 'A description',
  flags: MessageFlags.IsComponentsV2,
  full_name: 'causeway/harbour',
  image: dataUri(PIXEL),
  label: 'Press',
  login: 'ada',
  message: 'Mend the jetty',
  name: 'builders',
  number: 7,
  permission: true,
  permissions: '0',
  role: 'developer',
  scopes: 'bot',
  state: 'approved',
  tag_name: 'v1',
  text: 'text',
  title: 'A title',
  type: 1,
  url: 'https://a.example/',
  value: 'value',
};

/** Components require the layout flag and exclude text; buttons need a label and a custom_id. */
const alsoBeside = (field: string) => (field === 'components' ? ['flags'] : ['content', 'custom_id', 'label']);

beforeAll(async () => {
  server = await startServer({ log });
  scene = await openScene(server);
  await scene.permit(ALL_PERMISSIONS);
  const { guildId, channelId, bot } = scene;
  const [bob, cleo] = [await signUp(server, 'bob'), await signUp(server, 'cleo')];
  ada = await signUp(server, 'ada');
  const teamId = String(await putTeam(server, ada, [[bob, 'DEVELOPER']]));
  const { id: applicationId } = await createApplication(ada, 'Helper');
  const application = `/applications/${bot.id}`;
  const command = { name: 'play', description: 'Plays a song' };
  const commandId: string = (await bot.post(`${application}/commands`, command)).body.id;
  ofGuild = { commandId: (await bot.post(`${application}/guilds/${guildId}/commands`, command)).body.id };
  const emoji = encodeURIComponent('👍');
  await addMember(server.app, scene.guild.id, await userOf(server.app, bob));
  const roleId: string = (await bot.post(`/guilds/${guildId}/roles`, {})).body.id;
  const interaction = await answered();
  const { messageId = '' } = interaction;
  params = {
    bot: {
      guildId,
      channelId,
      messageId,
      emoji,
      userId: bob.id,
      roleId,
      overwriteId: guildId,
      applicationId: bot.id,
      commandId,
      emojiId: '1',
      code: 'aaaaaaaa',
      webhookId: (await webhook()).webhookId,
    },
    session: { teamId, applicationId, userId: bob.id },
    scope: await grant(),
    interaction,
    webhook: await webhook(),
  };
  layout = await answered();
  const text = { type: 10, content: 'hello' };
  const body = { flags: MessageFlags.IsComponentsV2, components: [text], content: null };
  expect((await bot.patch(`${scene.messages}/${layout.messageId}`, body)).status).toBe(200);
  Object.assign(samples, { id: guildId, email: cleo.email, team_id: teamId, user_id: cleo.id, message_id: messageId });
  Object.assign(samples, { user_ids: cleo.id, channel_id: channelId });
});
afterAll(() => server.stop());

async function answered(): Promise<Params> {
  const { messageId, token: webhookToken } = await putAnswered(server.app, { bot: scene.bot.bot, guild: scene.guild });
  return { webhookId: scene.bot.id, webhookToken, messageId: String(messageId) };
}

/** Each interaction can be answered once. */
async function unanswered(): Promise<Params> {
  const { interaction, token: interactionToken } = await putInteraction(server.app, {
    bot: scene.bot.bot,
    guild: scene.guild,
  });
  return { interactionId: String(interaction.id), interactionToken };
}

async function webhook(): Promise<{ webhookId: string; webhookToken: string }> {
  const { webhook: row, token: webhookToken } = await putWebhook(server.app, {
    bot: scene.bot.bot,
    guild: scene.guild,
  });
  return { webhookId: String(row.id), webhookToken };
}

async function grant(): Promise<Params> {
  const application = await createApplication(ada, 'Granted');
  const guild = await createGuild(ada);
  await install(ada, application, guild);
  const form = { grant_type: 'client_credentials', scope: 'applications.commands.permissions.update' };
  const { body } = await postForm(server, { ...form, ...inForm(application) });
  token = body.access_token;
  return { applicationId: application.id, guildId: guild.id, commandId: application.id };
}

function credentialOf({ callers }: Route): Credential {
  if (callers.length === 0 || callers.includes('bot')) return 'bot';
  if (callers.includes('interactionToken')) return 'interaction';
  if (callers.includes('webhookToken')) return 'webhook';
  return callers.includes('session') ? 'session' : 'scope';
}

function addressOf(route: Route, more: Params = {}): string {
  const known = { ...params[credentialOf(route)], ...more };
  return route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = known[name];
    if (value === undefined) throw new Error(`say in params what ${name} of ${nameOf(route)} is`);
    return value;
  });
}

/** Returns an address at which no earlier request interferes with the body. */
async function addressFor(route: Route, body: string): Promise<string> {
  if (route.path.startsWith('/interactions')) return addressOf(route, await unanswered());
  if (route.path.startsWith('/applications/:applicationId/guilds')) return addressOf(route, ofGuild);
  return addressOf(route, body.includes(`"flags":${MessageFlags.IsComponentsV2}`) ? layout : {});
}

const AUTHORIZATION: Record<Credential, () => Record<string, string>> = {
  bot: () => ({ authorization: `Bot ${scene.bot.bot.token}` }),
  session: () => ({ authorization: `Bearer ${ada.token}` }),
  scope: () => ({ authorization: `Bearer ${token}` }),
  interaction: () => ({}),
  webhook: () => ({}),
};

async function send(route: Route, address: string, body?: BodyInit, type: string | null = 'application/json') {
  const headers = AUTHORIZATION[credentialOf(route)]();
  if (body === undefined) return ask(server, route.method, address, { headers });
  const typed = type === null ? headers : { ...headers, 'content-type': type };
  return ask(server, route.method, address, { body, headers: typed });
}

/** Expects a 400 whose faults, if any, are at field names of the sent body. */
function expectRefusal({ status, body: { message, code, errors } }: RestAnswer, sent: string): void {
  const said = JSON.stringify({ sent, status, message, code, errors });
  expect(status, said).toBe(400);
  expect([typeof message, typeof code], said).toEqual(['string', 'number']);
  if (code !== 50035) return;
  const faults = faultsWithin(errors);
  expect(faults.length, said).toBeGreaterThan(0);
  for (const fault of faults) expect(Object.keys(fault).toSorted(), said).toEqual(['code', 'message']);
}

function faultsWithin(errors: Loose): Loose[] {
  if (typeof errors !== 'object' || errors === null) return [];
  const { _errors: own = [], ...within } = errors;
  return [...own, ...Object.values(within).flatMap(faultsWithin)];
}

/** Whether the route's schema accepts the body. @throws any error that is not a refusal */
async function isTaken(schema: z.ZodType, body: string): Promise<boolean> {
  try {
    await parseInTurns(schema, coerceTo(schema, parseJson(body)));
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/** Builds the JSON of a body from the function that places a value in it. */
type Hostile = (valueWith: (leaf: unknown) => unknown) => string;

const HOSTILE: Hostile[] = [
  ...[...HOSTILE_TEXTS, ...HOSTILE_OTHERS].map(
    (leaf): Hostile =>
      (valueWith) =>
        JSON.stringify(valueWith(leaf)),
  ),
  ...RAW_NUMBERS.map(
    (digits): Hostile =>
      (valueWith) =>
        JSON.stringify(valueWith(RAW)).replaceAll(JSON.stringify(RAW), digits),
  ),
];

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

const met = new Set<object>();

/** Routes with a body, without the second name of the same route. */
const withBody = routes.flatMap((route) => {
  const { body: schema } = route;
  if (!schema || route.path.startsWith('/oauth2/applications')) return [];
  return [{ route, schema, name: nameOf(route), fields: fieldsOf(schema, { samples, alsoBeside }, met) }];
});
const withQuery = routes.flatMap((route) => {
  const names = namesIn(route.query);
  return names.length > 0 ? [{ route, names, name: nameOf(route) }] : [];
});

describe('every field of every body', { timeout: EVERY_FIELD_MS }, () => {
  test.each(withBody)('of $name has a sample value', ({ fields }) => {
    expect(fields.map(({ path }) => path)).not.toContainEqual([]);
    for (const { path, valueWith } of fields) {
      const body = JSON.stringify(valueWith('leaf'), (_, value) => (value === undefined ? null : value));
      expect(body, `a sample is missing beside ${path.join('.')}`).not.toContain('null');
    }
  });

  test.each(withBody)('of $name accepts or refuses any text without a 5xx', async ({ route, schema, fields }) => {
    for (const hostile of HOSTILE) {
      const bodies = new Set(fields.map(({ valueWith }) => hostile(valueWith)));
      const taken: string[] = [];
      const refused: string[] = [];
      for (const body of bodies) ((await isTaken(schema, body)) ? taken : refused).push(body);
      for (const body of taken) {
        const { status } = await send(route, await addressFor(route, body), body);
        expect(status, body).toBeLessThan(500);
      }
      for (const body of refused.slice(0, 1))
        expectRefusal(await send(route, await addressFor(route, body), body), body);
    }
    expect(faults.splice(0)).toEqual([]);
  });
});

describe('every parameter of every query', { timeout: EVERY_FIELD_MS }, () => {
  test.each(withQuery)('of $name accepts or refuses any text without a 5xx', async ({ route, names }) => {
    const values = [...HOSTILE_TEXTS.map((text) => encodeURIComponent(text.toWellFormed())), '%ED%A0%80', '%00', '%'];
    for (const name of names) {
      for (const value of values) {
        const { status } = await send(route, `${await addressFor(route, '')}?${name}=${value}`);
        expect(status, `${name}=${value}`).toBeLessThan(500);
      }
    }
    expect(faults.splice(0)).toEqual([]);
  });
});

const MISTAKEN: [what: string, body: BodyInit, type: string | null][] = [
  ['text', 'hello', 'text/plain'],
  ['XML', '<name>hello</name>', 'application/xml'],
  ['a form', 'name=hello', 'application/x-www-form-urlencoded'],
  ['JSON of no type', new Blob(['{}']), null],
  ['half of an object', '{"name":', 'application/json'],
  ['a list in lists', '['.repeat(50_000), 'application/json'],
  ['objects in an object', `${'{"name":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'application/json'],
  ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 'application/json'],
  ['an object as a list', '[{}]', 'application/json'],
  ['null', 'null', 'application/json'],
  ['a number', '1e999', 'application/json'],
  ['a form of parts without a boundary', '--x', 'multipart/form-data'],
  ['a form of parts without an end', '--x\r\n', 'multipart/form-data; boundary=x'],
];

describe('a body of the wrong kind', { timeout: EVERY_FIELD_MS }, () => {
  test.each(withBody)('of $name gets a response without a 5xx', async ({ route }) => {
    for (const [what, body, type] of MISTAKEN) {
      const { status, headers, body: answer } = await send(route, await addressFor(route, ''), body, type);
      expect(status, what).toBeLessThan(500);
      if (status < 400) continue;
      expect(headers.get('content-type'), what).toBe('application/json');
      expect([typeof answer.message, typeof answer.code], what).toEqual(['string', 'number']);
    }
    expect(faults.splice(0)).toEqual([]);
  });
});
