import { describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const MIB = 1024 * 1024;

const post = (body: RequestInit['body'], contentType?: string) =>
  scene.bot.ask('POST', scene.messages, { body, headers: contentType ? { 'content-type': contentType } : {} });

describe('200', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    ' application/json ;charset="utf-8"',
  ])('the content type "%s"', async (contentType) => {
    expect((await post('{"content":"x"}', contentType)).status).toBe(200);
  });

  test('bytes that are no UTF-8 become U+FFFD', async () => {
    const body = Buffer.concat([Buffer.from('{"content":"a'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect((await post(body, 'application/json')).body.content).toBe('a\ufffd\ufffd');
  });

  test('of a repeated member the last counts', async () => {
    expect((await post('{"content":"a","content":"b"}', 'application/json')).body.content).toBe('b');
    const withLongId = '{"content":"a","content":"b","x":12345678901234567890}';
    expect((await post(withLongId, 'application/json')).body.content).toBe('b');
  });
});

describe('400', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'json', ';', '/', 'a/b; c'])(
    'another content type, "%s", is 50035',
    async (contentType) => {
      const { status, body } = await post('{"content":"x"}', contentType);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
      expect(body.errors._errors[0].code).toBe('CONTENT_TYPE_INVALID');
    },
  );

  test.each([
    ['POST', (): string => scene.messages, '"application/json", "multipart/form-data"'],
    ['PATCH', (): string => '/applications/@me', '"application/json"'],
  ] as const)('the refusal of a content type says which %s takes', async (method, path, taken) => {
    const { body } = await scene.bot.ask(method, path(), { body: 'x', headers: { 'content-type': 'text/plain' } });
    expect(body.errors._errors[0].message).toContain(`{${taken}}`);
  });

  test('a body without a content type is 50035', async () => {
    const { status, body } = await post(Buffer.from('{"content":"x"}'));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
  });

  test('no body at all is an empty message', async () => {
    expect((await post(null)).body.code).toBe(50006);
    expect((await post('', 'application/json')).body.code).toBe(50006);
  });

  test.each([
    '{',
    '{"content":}',
    "{'content':'x'}",
    '{"content":"x"}}',
    'undefined',
    '\ufeff{"content":"x"}',
    '{"content":"\n"}',
    '{"a":1234567890123456789',
    `${'['.repeat(50_000)}12345678901234567890`,
  ])('JSON that is none, %#, is 50109', async (text) => {
    const { status, body } = await post(text, 'application/json');
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 50109, message: 'The request body contains invalid JSON.' },
    });
  });

  test.each(['null', '[]', '"text"', '5', 'true', '12345678901234567890'])(
    'JSON that is no object, %s',
    async (text) => {
      const { status, body } = await post(text, 'application/json');
      expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
    },
  );

  test('nesting without end', async () => {
    for (const depth of [100, 100_000]) {
      const nested = '['.repeat(depth) + ']'.repeat(depth);
      for (const member of ['content', 'embeds', 'allowed_mentions', 'message_reference', 'nonce', 'attachments']) {
        const { status, body } = await post(`{"${member}":${nested}}`, 'application/json');
        expect({ status, code: body.code }, member).toEqual({ status: 400, code: 50035 });
      }
      const { status } = await post(`{"components":[{"type":1,"x":${nested}}]}`, 'application/json');
      expect(status).toBe(400);
    }
  });
});

describe('an id that is written as a number', () => {
  const reply = '{"content":"x","message_reference":{"message_id":123456789012345678}}';

  test('is read to its last digit, and refused in a body that is too long for that', async () => {
    const faultsOf = async (text: string) =>
      Object.keys((await post(text, 'application/json')).body.errors.message_reference);
    expect(await faultsOf(reply)).toEqual(['_errors']);
    expect(await faultsOf(reply.padEnd(64 * 1024 + 1))).toEqual(['message_id']);
  });
});

describe('413', () => {
  test('a JSON body over 1 MiB (40005), whose sender still hears the answer and may go on', async () => {
    for (const size of [MIB + 1, 30 * MIB]) {
      const { status, body } = await post(Buffer.alloc(size, 0x20), 'application/json');
      expect({ status, body }).toEqual({ status: 413, body: { code: 40005, message: 'Request entity too large' } });
    }
    expect((await post('{"content":"x"}', 'application/json')).status).toBe(200);
  });
});
