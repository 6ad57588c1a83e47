import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import type { HeldBody } from '../../src/http/bodies.js';
import { readForm } from '../../src/oauth/form.js';

const FORM = 'application/x-www-form-urlencoded';
const LIMIT = 64 * 1024;

let server: Server;
let origin: string;
let counted: number;
let held: HeldBody;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify([...(await readForm(request, held))]));
    } catch (error) {
      response.end(error instanceof DomainError ? error.code : 'a fault');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function send(body: string | undefined, type: string | null = FORM, refuse = false): Promise<string> {
  counted = 0;
  held = {
    add(bytes) {
      if (refuse) throw new DomainError('RATE_LIMITED', '');
      counted += bytes;
    },
    release() {},
  };
  const content = new Blob(body === undefined ? [] : [body]);
  const response = await fetch(origin, {
    method: 'POST',
    headers: type === null ? {} : { 'content-type': type },
    body: content,
  });
  return response.text();
}

test.each<[string, string | null]>([
  [FORM, FORM],
  ['its type with a character set, in any case', 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8'],
])('a form is accepted with %s', async (_what, type) => {
  expect(await send('a=1&b=%C3%A9+%2B&a=2', type)).toBe(
    JSON.stringify([
      ['a', '1'],
      ['b', 'é +'],
      ['a', '2'],
    ]),
  );
  expect(counted).toBe(20);
});

test('a form may be empty', async () => {
  expect(await send(undefined)).toBe('[]');
});

test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', `x${FORM}`, null])(
  '%s is not the type of a form',
  async (type) => {
    expect(await send('a=1', type)).toBe('INVALID_REQUEST');
  },
);

test('a form has at most 64 KiB; the excess is not kept in memory', async () => {
  const sized = (bytes: number) => `a=${'x'.repeat(bytes - 2)}`;
  expect(await send(sized(LIMIT))).toHaveLength(LIMIT - 2 + JSON.stringify([['a', '']]).length);
  expect(counted).toBe(LIMIT);
  expect(await send(sized(LIMIT + 1))).toBe('REQUEST_TOO_LARGE');
  expect(counted).toBeLessThanOrEqual(LIMIT);
});

test('a form beyond the memory quota is refused', async () => {
  expect(await send('a=1', FORM, true)).toBe('RATE_LIMITED');
});
