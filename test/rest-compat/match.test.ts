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
  return route({ method, path, callers: [], bucket, where: CLOUD, params: z.looseObject({}), run });
}

/** The path of the row that is found, with its parameters; else the status that is answered. */
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
  test.each(REST_PREFIXES)('is found under "%s"', (base) => {
    expect(found(table, `${base}/users/5`)).toEqual(['/users/:userId', { userId: '5' }]);
  });

  test('goes to a name before a parameter, and to the parameter where the name leads nowhere', () => {
    expect(found(table, '/users/@me')).toEqual(['/users/@me', {}]);
    expect(found(table, '/users/@me/notes')).toEqual(['/users/:userId/notes', { userId: '@me' }]);
  });

  test.each(['@original', '%40original', '%40%6friginal'])('may be encoded: %s', (segment) => {
    expect(found(table, `/webhooks/1/a/messages/${segment}`, 'PATCH')).toEqual([
      '/webhooks/:webhookId/:token/messages/@original',
      { webhookId: '1', token: 'a' },
    ]);
  });

  test('a parameter is decoded once, slashes in it included', () => {
    expect(found(table, '/users/a%2Fb')).toEqual(['/users/:userId', { userId: 'a/b' }]);
    expect(found(table, '/users/%252F')).toEqual(['/users/:userId', { userId: '%2F' }]);
  });

  test('a parameter holds any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(text !== '@me');
        expect(found(table, `/users/${encodeURIComponent(text)}`)).toEqual(['/users/:userId', { userId: text }]);
      }),
    );
  });
});

describe('what is no route', () => {
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
    '%s is 400, another version',
    (path) => {
      const answer = table.match({ method: 'GET', path });
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('50041') });
    },
  );

  test.each(['/users/%', '/users/%zz', '/%ff', '/users/%ED%A0%80'])('%s cannot be decoded: 400', (path) => {
    expect(found(table, path)).toBe(400);
  });

  test('another method is 405, and told which there are', () => {
    const answer = table.match({ method: 'DELETE', path: '/webhooks/1/a/messages/2' });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'PATCH', 'content-type': 'application/json' } });
  });
});

describe('a path that takes no method', () => {
  const path = '/guilds/:guildId/commands/permissions';
  const closed = new RouteTable([row('/guilds/:guildId/commands/:commandId')], [path]);

  test.each(['GET', 'PUT', 'DELETE', 'PROPFIND'])('is 405 for %s, with none that is allowed', (method) => {
    expect(closed.match({ method, path: '/guilds/1/commands/permissions' })).toMatchObject({
      status: 405,
      headers: { allow: '' },
    });
  });

  test('goes before a parameter, and leaves its other values to it', () => {
    expect(found(closed, '/guilds/1/commands/2')).toEqual([
      '/guilds/:guildId/commands/:commandId',
      { guildId: '1', commandId: '2' },
    ]);
    expect(found(closed, '/guilds/1/commands')).toBe(404);
  });
});

test('HEAD is answered as GET', () => {
  expect(found(table, '/users/5', 'HEAD')).toEqual(['/users/:userId', { userId: '5' }]);
});

test('each row of the table is found by its own path', () => {
  const real = new RouteTable(routes);
  for (const { method, path } of routes) {
    expect(found(real, path.replaceAll(':', ''), method), `${method} ${path}`).toMatchObject([path, {}]);
  }
});

describe('a table is refused', () => {
  test('that has two rows for one path and method, whatever their parameters are called', () => {
    expect(() => new RouteTable([row('/a/:x'), row('/a/:y')])).toThrow('two rows');
  });

  test('in which a limit has one name and two sizes', () => {
    const [one, other] = [bucketOf('same', 1), bucketOf('same', 2)];
    expect(() => new RouteTable([row('/a', 'GET', one), row('/b', 'GET', other)])).toThrow('"same"');
    expect(() => new RouteTable([row('/a', 'GET', one), row('/b', 'GET', { ...one })])).not.toThrow();
  });

  test('with a row whose bucket or place is told by a parameter that it does not have', () => {
    expect(() => row('/a/:x', 'GET', { ...bucketOf('a'), major: ['y'] })).toThrow('no parameter y');
    const where = { by: 'guildId', selfHosted: 'forward' } as const;
    const params = z.object({});
    const spec = { method: 'GET', path: '/a', callers: [], bucket: bucketOf('a'), where, params } as const;
    expect(() => route({ ...spec, run: async () => null })).toThrow('no parameter guildId');
  });
});
