import { describe, expect } from 'vitest';
import { z } from 'zod';
import type { AppContext } from '../../src/context.js';
import type { Actor } from '../../src/domain/call.js';
import { type Asked, type Directory, locate } from '../../src/rest-compat/locate.js';
import type { Matched } from '../../src/rest-compat/match.js';
import type { RestRequest } from '../../src/rest-compat/request.js';
import { CLOUD, type Route, route, type TargetParam } from '../../src/rest-compat/route.js';
import { test } from '../harness/fixtures.js';
import { createBot } from '../harness/world.js';

let app: AppContext;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  const { user, id } = await createBot(app);
  actor = { kind: 'bot', user, applicationId: id, messageContentIntent: true };
});

let actor: Actor;
const request: RestRequest = {
  id: 'r-1',
  method: 'PATCH',
  path: '/x',
  query: {},
  headers: {},
  address: '192.0.2.1',
  body: Buffer.from('{}'),
};

/** A directory in which everything is on box 7. */
function boxes() {
  const asked: string[] = [];
  const forwarded: Asked['request'][] = [];
  const directory: Directory = {
    async whereIs(target, id) {
      asked.push(`${target} ${id}`);
      return { box: 7n, guildId: 5n };
    },
    isInstalled: async () => true,
    async forward(_target, { request: of }) {
      forwarded.push(of);
      return { status: 200, headers: {}, body: null };
    },
  };
  return { directory, asked, forwarded };
}

function rowAt(where: Route['where'], maxJsonBytes?: number): Route {
  const bucket = { limit: { name: 'x', points: 1, seconds: 1 }, major: [] };
  const path = typeof where === 'string' ? '/x' : `/x/:${where.by}`;
  const spec = { method: 'PATCH', path, summary: 'Test', callers: [], bucket, params: z.looseObject({}) } as const;
  return route({ ...spec, where, run: async () => {}, ...(maxJsonBytes === undefined ? {} : { maxJsonBytes }) });
}

describe('the location of a request', () => {
  test.each<[TargetParam, string]>([
    ['guildId', 'guild 5'],
    ['channelId', 'channel 5'],
    ['webhookId', 'webhook 5'],
  ])('by its %s is looked up as %s', async (by, question) => {
    const { directory, asked, forwarded } = boxes();
    const matched = { row: rowAt({ by, selfHosted: 'forward' }), params: { [by]: '5' }, version: 10 } as const;
    expect(await locate({ app, directory }, matched, request, actor)).toMatchObject({ status: 200 });
    expect([asked, forwarded]).toEqual([[question], [request]]);
  });

  test('is the cloud, without a look-up, for cloud data and for malformed ids', async () => {
    const { directory, asked } = boxes();
    const byGuild = rowAt({ by: 'guildId', selfHosted: 'forward' });
    const here: Matched[] = [
      { row: rowAt(CLOUD), params: {}, version: 10 },
      { row: byGuild, params: { guildId: 'x' }, version: 10 },
      { row: byGuild, params: {}, version: 10 },
    ];
    for (const matched of here) {
      expect(await locate({ app, directory }, matched, request, actor)).toBeNull();
    }
    expect(asked).toEqual([]);
  });
});

describe('a route whose location depends on the body', () => {
  const matched = (maxJsonBytes: number): Matched => ({
    row: rowAt(
      { by: 'guildId', selfHosted: (body) => (Object.keys(body as object).length ? 'notImplemented' : 'forward') },
      maxJsonBytes,
    ),
    params: { guildId: '5' },
    version: 10,
  });
  const at = (text: string, most = 10) => {
    const { directory, forwarded } = boxes();
    const headers = { 'content-type': 'application/json' };
    const asked = { ...request, headers, body: Buffer.from(text) };
    return { answer: locate({ app, directory }, matched(most), asked, actor), forwarded };
  };

  test.each([
    ['{"a":1}', 501],
    ['{}', 200],
    ['  ', 200],
    ['', 200],
  ])('answers %j with %i, and forwards the text unchanged', async (text, status) => {
    const { answer, forwarded } = at(text);
    expect((await answer)?.status).toBe(status);
    expect(forwarded.map(({ body }) => String(body))).toEqual(status === 200 ? [text] : []);
  });

  test("enforces the route's body limit, and releases the memory afterwards", async () => {
    await expect(at(`${' '.repeat(9)}{}`).answer).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    await expect(at('{').answer).rejects.toMatchObject({ code: 'INVALID_JSON' });
    const most = 20 * 1024 * 1024;
    for (let count = 0; count < 3; count += 1) await at(' '.repeat(most), most).answer;
  });
});
