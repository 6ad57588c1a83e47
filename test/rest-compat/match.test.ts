import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { REST_PREFIXES } from '../../src/http/rest-paths.js';
import { RouteTable } from '../../src/rest-compat/match.js';
import { type Bucket, CLOUD, type HttpMethod, type Route, route } from '../../src/rest-compat/route.js';
import { routes } from '../../src/rest-compat/table.js';

const bucketOf = (name: string, points = 1): Bucket => ({ limit: { name, points, seconds: 1 }, major: [] });

function row(path: string, method: HttpMethod = 'GET', bucket = bucketOf(`${method} ${path}`)): Route {
  const run = async () => null;
  return route({ method, path, summary: 'Test', callers: [], bucket, where: CLOUD, params: z.looseObject({}), run });
}

function found(table: RouteTable, path: string, method = 'GET') {
  const matched = table.match({ method, path });
  return 'row' in matched ? [matched.row.path, matched.params] : matched.status;
}

const table = new RouteTable([
  row('/users/@me'),
  row('/users/:userId'),
  row('/users/@me/guilds'),
  row('/users/:userId/notes'),
  row('/webhooks/:webhookId/:token', 'POST'),
  row('/webhooks/:webhookId/:token/messages/@original', 'PATCH'),
  row('/webhooks/:webhookId/:token/messages/:messageId', 'PATCH'),
]);

describe('a path', () => {
  test.each(REST_PREFIXES)('is matched under "%s"', (base) => {
    expect(found(table, `${base}/users/5`)).toEqual(['/users/:userId', { userId: '5' }]);
  });

  test('prefers a literal segment to a parameter, unless the literal leads to no route', () => {
    expect(found(table, '/users/@me')).toEqual(['/users/@me', {}]);
    expect(found(table, '/users/@me/notes')).toEqual(['/users/:userId/notes', { userId: '@me' }]);
  });

  test.each(['@original', '%40original', '%40%6friginal'])('may be percent-encoded: %s', (segment) => {
    expect(found(table, `/webhooks/1/a/messages/${segment}`, 'PATCH')).toEqual([
      '/webhooks/:webhookId/:token/messages/@original',
      { webhookId: '1', token: 'a' },
    ]);
  });

  test('has its parameters decoded once, including slashes', () => {
    expect(found(table, '/users/a%2Fb')).toEqual(['/users/:userId', { userId: 'a/b' }]);
    expect(found(table, '/users/%252F')).toEqual(['/users/:userId', { userId: '%2F' }]);
  });

  test('accepts any text as a parameter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(text !== '@me');
        expect(found(table, `/users/${encodeURIComponent(text)}`)).toEqual(['/users/:userId', { userId: text }]);
      }),
    );
  });
});

describe('an unmatched path', () => {
  test.each([
    '',
    '/',
    '/users',
    '/users/1/',
    '/users/1/2',
    '/api',
    '/api/v10',
    '/apiv10/users/1',
    '/v10/users/1',
    '//users/1',
  ])('"%s" is 404', (path) => expect(found(table, path)).toBe(404));

  test.each(['/api/v8/users/1', '/api/v11', '/api/v09/users/1', '/api/v010/users/1'])(
    '%s is 400, for an unsupported version',
    (path) => {
      const answer = table.match({ method: 'GET', path });
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('50041') });
    },
  );

  test.each(['/users/%', '/users/%zz', '/%ff', '/users/%ED%A0%80'])('%s is 400, for an invalid encoding', (path) => {
    expect(found(table, path)).toBe(400);
  });

  test('is 405 for another method, and lists the allowed ones', () => {
    const answer = table.match({ method: 'DELETE', path: '/webhooks/1/a/messages/2' });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'PATCH', 'content-type': 'application/json' } });
  });
});

describe('a path without methods', () => {
  const path = '/guilds/:guildId/commands/permissions';
  const closed = new RouteTable([row('/guilds/:guildId/commands/:commandId')], [path]);

  test.each(['GET', 'PUT', 'DELETE', 'PROPFIND'])('is 405 for %s with an empty Allow header', (method) => {
    expect(closed.match({ method, path: '/guilds/1/commands/permissions' })).toMatchObject({
      status: 405,
      headers: { allow: '' },
    });
  });

  test('takes precedence over a parameter, and leaves other values to the parameter', () => {
    expect(found(closed, '/guilds/1/commands/2')).toEqual([
      '/guilds/:guildId/commands/:commandId',
      { guildId: '1', commandId: '2' },
    ]);
    expect(found(closed, '/guilds/1/commands')).toBe(404);
  });
});

test('HEAD matches the GET route', () => {
  expect(found(table, '/users/5', 'HEAD')).toEqual(['/users/:userId', { userId: '5' }]);
});

test('each route of the table matches its own path', () => {
  const real = new RouteTable(routes);
  for (const { method, path } of routes) {
    expect(found(real, path.replaceAll(':', ''), method), `${method} ${path}`).toMatchObject([path, {}]);
  }
});

describe('a route table is refused', () => {
  test('if two routes have the same path and method, apart from parameter names', () => {
    expect(() => new RouteTable([row('/a/:x'), row('/a/:y')])).toThrow('two routes');
  });

  test('if a limit has one name and two sizes', () => {
    const [one, other] = [bucketOf('same', 1), bucketOf('same', 2)];
    expect(() => new RouteTable([row('/a', 'GET', one), row('/b', 'GET', other)])).toThrow('"same"');
    expect(() => new RouteTable([row('/a', 'GET', one), row('/b', 'GET', { ...one })])).not.toThrow();
  });

  test('if a bucket or location uses a parameter that the path does not have', () => {
    expect(() => row('/a/:x', 'GET', { ...bucketOf('a'), major: ['y'] })).toThrow('no parameter y');
    const where = { by: 'guildId', selfHosted: 'forward' } as const;
    const params = z.object({});
    const spec = { method: 'GET', path: '/a', summary: 'Test', callers: [], where, params } as const;
    expect(() => route({ ...spec, bucket: bucketOf('a'), run: async () => null })).toThrow('no parameter guildId');
  });
});
