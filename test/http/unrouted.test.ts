import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DomainError, type ErrorCode, type ErrorKind } from '../../src/domain/errors.js';
import { httpFault, STATUS_OF_KIND } from '../../src/http/faults.js';
import { knowUnusualMethods, refuseOtherMethods } from '../../src/http/methods.js';
import { handleUnrouted } from '../../src/http/unrouted.js';
import { readableLog, readLines } from '../harness/log.js';

let http: FastifyInstance;
let fault: unknown;
const { log, lines } = readableLog();

beforeEach(async () => {
  lines.length = 0;
  http = Fastify();
  handleUnrouted(http, log);
  http.post('/fails', () => {
    throw fault;
  });
  await http.ready();
});
afterEach(() => http.close());

const post = (url: string, type = 'application/json') =>
  http.inject({ method: 'POST', url, payload: '{}', headers: { 'content-type': type } });

describe('a path without a route', () => {
  it.each(['application/json', 'nonsense'])('is 404, whatever the body (%s)', async (type) => {
    const answer = await post('/nowhere', type);
    expect([answer.statusCode, answer.headers['content-type'], answer.json()]).toEqual([
      404,
      'application/json',
      { message: '404: Not Found', code: 0 },
    ]);
  });
});

describe('a path that belongs to no entry point', () => {
  const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
  const look = (method: 'GET' | 'HEAD' | 'POST', accept?: string, url = '/nowhere') =>
    http.inject({ method, url, headers: accept === undefined ? {} : { accept } });

  it.each(['GET', 'HEAD'] as const)('is a page with a link for a browser that navigates to it (%s)', async (method) => {
    const { statusCode, headers, body } = await look(method, HTML);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body).toContain('<a class="button" href="/">');
  });

  it.each([
    ['GET', undefined],
    ['GET', '*/*'],
    ['GET', 'application/json, text/htmlish'],
    ['POST', HTML],
  ] as const)('is JSON for all other clients (%s, %s)', async (method, accept) => {
    const { statusCode, headers } = await look(method, accept);
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json']);
  });
});

describe('an error outside all entry points', () => {
  it.each(['nonsense', 'application/xml', '/'])(
    'is 400 for a body of type %s, and lists the accepted types',
    async (type) => {
      const answer = await post('/fails', type);
      expect([answer.statusCode, answer.headers['content-type'], answer.json()]).toEqual([
        400,
        'application/json',
        {
          message: 'Invalid Form Body',
          code: 50035,
          errors: {
            _errors: [
              {
                code: 'CONTENT_TYPE_INVALID',
                message:
                  'Expected "Content-Type" header to be one of {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}.',
              },
            ],
          },
        },
      ]);
      expect(lines).toEqual([]);
    },
  );

  it.each<[ErrorCode, number, number]>([
    ['UNAUTHENTICATED', 401, 0],
    ['FORBIDDEN', 403, 0],
    ['UNKNOWN_GUILD', 404, 0],
    ['INVALID_JSON', 400, 0],
    ['CONFLICT', 409, 0],
    ['FILE_TOO_LARGE', 413, 0],
    ['LIMIT_EXCEEDED', 400, 0],
    ['RATE_LIMITED', 429, 0],
    ['OVERLOADED', 503, 130_000],
  ])('has the status of its kind: %s is %i', async (code, status, number) => {
    fault = new DomainError(code, 'words', { retryAfterMs: 1_001 });
    const answer = await post('/fails');
    expect([answer.statusCode, answer.json()]).toEqual([status, { message: 'words', code: number }]);
    expect(answer.headers['retry-after']).toBe('2');
    fault = new DomainError(code, 'words');
    expect((await post('/fails')).headers).not.toHaveProperty('retry-after');
    expect(lines).toEqual([]);
  });

  it('is 500 if it is internal, with its cause only in the log', async () => {
    fault = new Error('the secret');
    const answer = await post('/fails');
    expect([answer.statusCode, answer.json()]).toEqual([500, { message: '500: Internal Server Error', code: 0 }]);
    expect(readLines(lines)).toMatchObject([
      { level: 50, msg: 'Request failed', method: 'POST', err: { message: 'the secret' } },
    ]);
  });
});

it('every kind of refusal has the matching status', () => {
  const statuses: Record<ErrorKind, number> = {
    unauthenticated: 401,
    forbidden: 403,
    notFound: 404,
    invalid: 400,
    conflict: 409,
    tooLarge: 413,
    limitReached: 400,
    rateLimited: 429,
    overloaded: 503,
  };
  expect(STATUS_OF_KIND).toEqual(statuses);
  expect(httpFault(405)).toEqual({ message: '405: Method Not Allowed', code: 0 });
});

describe('an unsupported method', () => {
  it('is 405 with the allowed methods, including unusual ones', async () => {
    const served = Fastify();
    knowUnusualMethods(served);
    refuseOtherMethods(served, () => {
      served.get('/here', () => 'got');
      served.route({ method: ['PUT', 'DELETE'], url: '/here', handler: () => 'put' });
      served.post('/there', () => 'posted');
    });
    const origin = await served.listen({ port: 0 });
    const ask = async (method: string, path: string) => {
      const { status, headers } = await fetch(origin + path, { method });
      return [status, headers.get('allow')?.split(', ').sort() ?? null];
    };
    const here = ['DELETE', 'GET', 'HEAD', 'PUT'];
    expect([await ask('GET', '/here'), await ask('DELETE', '/here')]).toEqual([
      [200, null],
      [200, null],
    ]);
    for (const method of ['POST', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      expect([method, ...(await ask(method, '/here'))]).toEqual([method, 405, here]);
    }
    expect(await ask('GET', '/there')).toEqual([405, ['POST']]);
    const refused = await fetch(`${origin}/there`);
    expect([refused.headers.get('content-type'), await refused.json()]).toEqual([
      'application/json',
      { message: '405: Method Not Allowed', code: 0 },
    ]);
    await served.close();
  });
});
