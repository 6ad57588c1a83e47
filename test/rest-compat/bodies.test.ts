import { describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { RawConnection } from '../harness/raw-http.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const FORM = '--b\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n{"content":"x"}\r\n--b--\r\n';

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

  test.each([
    ['nests deeper than 64 levels', `{"x":${'['.repeat(64)}1`],
    ['nests deep and has a long integer', `${'['.repeat(50_000)}12345678901234567890`],
    ['has more than 10,000 values', `{"x":[${'[],'.repeat(5_000)}1]}`],
  ])('JSON that %s is 50109 and is not parsed', async (_what, text) => {
    const { status, body } = await post(text, 'application/json');
    const message = 'JSON may nest at most 64 levels deep and have at most 10000 values.';
    expect({ status, body }).toEqual({ status: 400, body: { code: 50109, message } });
  });

  test('a form whose payload_json nests too deep is 50109', async () => {
    const form = new FormData();
    form.set('payload_json', `{"x":${'['.repeat(64)}1`);
    const { status, body } = await scene.bot.ask('POST', scene.messages, { body: form });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50109 });
  });

  test.each([
    ['JSON', 'application/json', '{"content":"x"}'],
    ['a form', 'multipart/form-data; boundary=b', FORM],
  ])('%s is refused when it comes in many chunks of one byte', async (_what, type, body) => {
    const chunks = (text: string) => [...text].map((byte) => `1\r\n${byte}\r\n`).join('');
    const answerTo = async (text: string) => {
      const connection = await RawConnection.open(server);
      const authorization = `Bot ${scene.bot.bot.token}`;
      const path = `/api/v10${scene.messages}`;
      connection.write(`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, '');
      connection.write(`Content-Type: ${type}`, 'Transfer-Encoding: chunked', '', `${chunks(text)}0\r\n\r\n`);
      const answer = await connection.answer();
      connection.socket.destroy();
      return answer;
    };
    expect((await answerTo(body)).status).toBe(200);
    const answer = await answerTo(body + ' '.repeat(20_000));
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('too many small pieces');
  });

  test('deep nesting in a place that takes none', async () => {
    for (const depth of [10, 61]) {
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

  test('is read to its last digit, however long the body is', async () => {
    const faultsOf = async (text: string) =>
      Object.keys((await post(text, 'application/json')).body.errors.message_reference);
    expect(await faultsOf(reply)).toEqual(['_errors']);
    expect(await faultsOf(reply.padEnd(64 * 1024 + 1))).toEqual(['_errors']);
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
