import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import type { Route } from '../../src/rest-compat/route.js';
import { routes } from '../../src/rest-compat/table.js';
import { EVERY_FIELD_MS, HOSTILE_OTHERS, HOSTILE_TEXTS } from '../harness/hostile-values.js';
import { readableLog } from '../harness/log.js';
import { inForm, postForm } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask, openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { putTeam } from '../harness/teams.js';

/** A whole number in JSON whose digits a double cannot hold; put into the text where {@link RAW} stands. */
const RAW_NUMBERS = ['9223372036854775808', '9'.repeat(40), '1e400'];
const RAW = '(a number)';

const { log, lines: faults } = readableLog();
let server: TestServer;
let scene: Scene;
let ada: Person;
/** What a body needs beside the one hostile field to get as far as the database, by the field's name. */
let samples: Record<string, unknown>;
let params: Record<string, string>;
/** As `params`, for routes that an application asks with a person's token. */
let granted: { params: Record<string, string>; token: string };

beforeAll(async () => {
  server = await startServer({ log });
  scene = await openScene(server);
  await scene.permit(ALL_PERMISSIONS);
  const [cleo, bob] = [await signUp(server, 'cleo'), await signUp(server, 'bob')];
  ada = await signUp(server, 'ada');
  const teamId = String(await putTeam(server, ada, [[bob, 'DEVELOPER']]));
  const application = await createApplication(ada, 'Helper');
  const { id: applicationId } = application;
  granted = await grantOf(application);
  const messageId = (await scene.send()).id;
  samples = {
    id: scene.guildId,
    content: 'hello',
    name: 'Builders',
    value: 'value',
    text: 'text',
    url: 'https://a.example/',
    type: 1,
    email: cleo.email,
    role: 'developer',
    team_id: teamId,
    app_name: 'Helper',
    access_token: 'none',
    message_id: messageId,
    scopes: ['identify'],
    permission: true,
  };
  params = {
    guildId: scene.guildId,
    channelId: scene.channelId,
    messageId,
    emoji: encodeURIComponent('👍'),
    userId: bob.id,
    teamId,
    applicationId,
  };
});
afterAll(() => server.stop());

/** A server of ada's with the application, which has her token for whatever a scope allows. */
async function grantOf(application: MadeApplication): Promise<typeof granted> {
  const guild = await createGuild(ada);
  await install(ada, application, guild);
  const form = { grant_type: 'client_credentials', scope: 'applications.commands.permissions.update' };
  const { body } = await postForm(server, { ...form, ...inForm(application) });
  const ids = { applicationId: application.id, guildId: guild.id, commandId: application.id };
  return { params: ids, token: body.access_token };
}

type Key = string | number;
interface Wrapped {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  options?: z.ZodType[];
  shape?: Record<string, z.ZodType>;
}

/** A schema without what stands around it: optional, null, defaults, transformations. */
function bare(schema: z.ZodType): z.ZodType {
  const { type, innerType, in: input, out } = schema.def as Wrapped;
  if (innerType) return bare(innerType);
  if (type !== 'pipe' || !input || !out) return schema;
  return bare((input.def as Wrapped).type === 'transform' ? out : input);
}

const inside = (schema: z.ZodType): Wrapped => bare(schema).def as Wrapped;

/** The places in a value of this schema that hold no object and no list. */
function leavesOf(schema: z.ZodType, path: Key[] = []): Key[][] {
  const { shape, element, options, type } = inside(schema);
  if (shape) return Object.entries(shape).flatMap(([key, value]) => leavesOf(value, [...path, key]));
  if (element) return leavesOf(element, [...path, 0]);
  if (type === 'union' && options?.some((option) => inside(option).shape)) {
    return options.flatMap((option) => leavesOf(option, path));
  }
  return [path];
}

/** A value with `leaf` at a place, and what must stand beside it. */
function valueWith(schema: z.ZodType, [key, ...rest]: Key[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  const { shape, element } = inside(schema);
  if (element) return [valueWith(element, rest, leaf)];
  const needed = Object.entries(shape ?? {}).filter(([, value]) => !value.safeParse(undefined).success);
  const beside = Object.fromEntries(needed.map(([name]) => [name, samples[name]]));
  const inner = shape?.[key];
  return { ...beside, ...(inner && { [key]: valueWith(inner, rest, leaf) }) };
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const needsScope = ({ callers }: Route) => callers.some((caller) => typeof caller === 'object');

function addressOf(route: Route): string {
  const known = needsScope(route) ? granted.params : params;
  return route.path.replace(/:(\w+)/g, (_, name: string) => known[name] ?? '');
}

async function send(route: Route, address: string, body?: string) {
  const content = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  if (route.callers.length === 0 || route.callers.includes('bot')) {
    return scene.bot.ask(route.method, address, content);
  }
  const headers = { ...content.headers, authorization: `Bearer ${needsScope(route) ? granted.token : ada.token}` };
  return ask(server, route.method, address, { ...content, headers });
}

/** Routes that take a body; of an address with two names, one. */
const withBody = routes.flatMap((route) => {
  const { body: schema } = route;
  return schema && !route.path.startsWith('/oauth2/applications') ? [{ route, schema, name: nameOf(route) }] : [];
});
const withQuery = routes.flatMap((route) => {
  const names = Object.keys(inside(route.query).shape ?? {});
  return names.length > 0 ? [{ route, names, name: nameOf(route) }] : [];
});

describe('every field of every body', { timeout: EVERY_FIELD_MS }, () => {
  test.each(withBody)('of $name is known', ({ schema }) => {
    const leaves = leavesOf(schema);
    expect(leaves).not.toContainEqual([]);
    for (const path of leaves) {
      const needed = JSON.stringify(valueWith(schema, path, 'leaf'), (_, value) =>
        value === undefined ? null : value,
      );
      expect(needed, `a sample is missing beside ${path.join('.')}`).not.toContain('null');
    }
  });

  test.each(withBody)('of $name takes whatever text without a fault of the server', async ({ route, schema }) => {
    for (const path of leavesOf(schema)) {
      const bodies = [
        ...[...HOSTILE_TEXTS, ...HOSTILE_OTHERS].map((leaf) => JSON.stringify(valueWith(schema, path, leaf))),
        ...RAW_NUMBERS.map((digits) =>
          JSON.stringify(valueWith(schema, path, RAW)).replaceAll(JSON.stringify(RAW), digits),
        ),
      ];
      for (const body of bodies) {
        const { status } = await send(route, addressOf(route), body);
        expect(status, body).toBeLessThan(500);
      }
    }
    expect(faults).toEqual([]);
  });
});

describe('every parameter of every query', { timeout: EVERY_FIELD_MS }, () => {
  test.each(withQuery)('of $name takes whatever text without a fault of the server', async ({ route, names }) => {
    for (const name of names) {
      const values = [...HOSTILE_TEXTS.map((text) => encodeURIComponent(text.toWellFormed())), '%ED%A0%80', '%00', '%'];
      for (const value of values) {
        const { status } = await send(route, `${addressOf(route)}?${name}=${value}`);
        expect(status, `${name}=${value}`).toBeLessThan(500);
      }
    }
    expect(faults).toEqual([]);
  });
});
