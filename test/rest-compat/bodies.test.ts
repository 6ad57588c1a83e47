import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
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

describe('a body is accepted', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    ' application/json ;charset="utf-8"',
  ])('with the content type "%s"', async (contentType) => {
    expect((await post('{"content":"x"}', contentType)).status).toBe(200);
  });

  test.each([
    ['application/json', '\ufeff{"content":"café \ufffd"}', 'utf8'],
    ['application/json; charset=utf-8', '{"content":"café \ufffd"}', 'utf8'],
    ['application/json', '\ufeff{"content":"café \ufffd"}', 'utf16le'],
    ['application/json; charset=UTF-16LE', '{"content":"café \ufffd"}', 'utf16le'],
  ] as const)('with text as %s of %j in %s', async (contentType, text, encoding) => {
    expect((await post(Buffer.from(text, encoding), contentType)).body.content).toBe('café \ufffd');
  });

  test('with text in another charset that the content type names', async () => {
    const body = Buffer.from('{"content":"café"}', 'latin1');
    expect((await post(body, 'application/json; charset=ISO-8859-1')).body.content).toBe('café');
  });

  test('with a repeated member, of which the last counts', async () => {
    expect((await post('{"content":"a","content":"b"}', 'application/json')).body.content).toBe('b');
    const withLongId = '{"content":"a","content":"b","x":12345678901234567890}';
    expect((await post(withLongId, 'application/json')).body.content).toBe('b');
  });
});

describe('a body is refused with 400', () => {
  test.each(['text/plain', 'application/x-www-form-urlencode', 'application/jsonx', 'json', ';', '/', 'a/b; c'])(
    'with the content type "%s" (50035)',
    async (contentType) => {
      const { status, body } = await post('{"content":"x"}', contentType);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
      expect(body.errors._errors[0].code).toBe('CONTENT_TYPE_INVALID');
    },
  );

  test.each([
    [
      'POST',
      (): string => scene.messages,
      '"application/json", "application/x-www-form-urlencoded", "multipart/form-data"',
    ],
    ['PATCH', (): string => '/applications/@me', '"application/json", "application/x-www-form-urlencoded"'],
  ] as const)('with a message that lists the content types that %s accepts', async (method, path, taken) => {
    const { body } = await scene.bot.ask(method, path(), { body: 'x', headers: { 'content-type': 'text/plain' } });
    expect(body.errors._errors[0].message).toContain(`{${taken}}`);
  });

  test('without a content type (50035)', async () => {
    const { status, body } = await post(Buffer.from('{"content":"x"}'));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
  });

  test('as an empty message if there is no body at all (50006)', async () => {
    expect((await post(null)).body.code).toBe(50006);
    expect((await post('', 'application/json')).body.code).toBe(50006);
  });

  test.each([
    '{',
    '{"content":}',
    "{'content':'x'}",
    '{"content":"x"}}',
    'undefined',
    '{"content":"\n"}',
    '{"a":1234567890123456789',
  ])('for invalid JSON, %# (50109)', async (text) => {
    const { status, body } = await post(text, 'application/json');
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 50109, message: 'The request body contains invalid JSON.' },
    });
  });

  test.each(['null', '[]', '"text"', '5', 'true', '12345678901234567890'])(
    'for JSON that is not an object: %s',
    async (text) => {
      const { status, body } = await post(text, 'application/json');
      expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
    },
  );

  test.each([
    ['nests deeper than 64 levels', `{"x":${'['.repeat(64)}1`],
    ['nests deep and has a long integer', `${'['.repeat(50_000)}12345678901234567890`],
    ['has more than 10,000 values', `{"x":[${'[],'.repeat(5_000)}1]}`],
  ])('for JSON that %s, without parsing it (50109)', async (_what, text) => {
    const { status, body } = await post(text, 'application/json');
    const message = 'JSON may nest at most 64 levels deep and have at most 10000 values.';
    expect({ status, body }).toEqual({ status: 400, body: { code: 50109, message } });
  });

  test('as a form whose payload_json is nested too deep (50109)', async () => {
    const form = new FormData();
    form.set('payload_json', `{"x":${'['.repeat(64)}1`);
    const { status, body } = await scene.bot.ask('POST', scene.messages, { body: form });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50109 });
  });

  test.each([
    ['JSON', 'application/json', '{"content":"x"}'],
    ['a form', 'multipart/form-data; boundary=b', FORM],
  ])('%s is refused when it arrives in many chunks of one byte', async (_what, type, body) => {
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
    expect(answer.body).toContain('too many small chunks');
  });

  test('for deep nesting in a field that allows none', async () => {
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

describe('an id written as a JSON number', () => {
  const reply = '{"content":"x","message_reference":{"message_id":123456789012345678}}';

  test('keeps every digit, whatever the length of the body', async () => {
    const faultsOf = async (text: string) =>
      Object.keys((await post(text, 'application/json')).body.errors.message_reference);
    expect(await faultsOf(reply)).toEqual(['_errors']);
    expect(await faultsOf(reply.padEnd(64 * 1024 + 1))).toEqual(['_errors']);
  });
});

describe('W-23: unreadable text is refused with the reason', () => {
  const latin1 = Buffer.from('{"content":"café"}', 'latin1');

  test.each([
    ['bytes that are not UTF-8', 'application/json', latin1, 'The body is not valid UTF-8.'],
    ['an unknown charset', 'application/json; charset=none', latin1, 'The charset "none" is unknown.'],
    [
      'bytes that are not of the charset',
      'application/json; charset=utf-16le',
      latin1.subarray(1),
      'not valid utf-16le',
    ],
    ['what is compressed and does not say so', 'application/json', gzipSync(latin1), 'The body is compressed.'],
  ])('%s', async (_, contentType, body, reason) => {
    const answer = await post(body, contentType);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 50035 });
    expect(answer.body.errors._errors[0].message).toContain(reason);
  });

  test('a body with a Content-Encoding', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { status, body } = await scene.bot.ask('POST', scene.messages, {
      body: gzipSync('{"content":"x"}'),
      headers,
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
    expect(body.errors._errors[0]).toEqual({
      code: 'CONTENT_ENCODING_INVALID',
      message: 'Content-Encoding "gzip" is not supported. Send the body uncompressed.',
    });
  });

  test('UTF-16 without a declared charset', async () => {
    const { status, body } = await post(Buffer.from('{"content":"x"}', 'utf16le'), 'application/json');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50109 });
    expect(body.message).toContain('charset=utf-16le');
  });
});

describe('a URL-encoded form', () => {
  const form = (text: string, more = '') => post(text, `application/x-www-form-urlencoded${more}`);

  test('is accepted as a message and its text is decoded', async () => {
    const { body } = await form('content=hello+there+caf%C3%A9%26%3D&tts=true&flags=4&wait=true');
    expect(body).toMatchObject({ content: 'hello there café&=', tts: true, flags: 4 });
    expect((await form('payload_json=%7B%22content%22%3A%22x%22%7D')).body.content).toBe('x');
    expect((await form('content=caf%E9', '; charset=iso-8859-1')).body.content).toBe('café');
  });

  test('is accepted by any route with a body, and its booleans are parsed', async () => {
    await scene.permit(Permission.ViewChannel | Permission.SendMessages | Permission.ManageChannels);
    const path = `/channels/${scene.channelId}`;
    const patched = await scene.bot.ask('PATCH', path, {
      body: new URLSearchParams({ topic: 'from a form', nsfw: 'true' }),
    });
    expect(patched.body).toMatchObject({ topic: 'from a form', nsfw: true });
    const back = await scene.bot.ask('PATCH', path, { body: new URLSearchParams({ nsfw: 'false' }) });
    expect(back.body).toMatchObject({ topic: 'from a form', nsfw: false });
    const { status } = await scene.bot.ask('PATCH', path, { body: new URLSearchParams({ nsfw: 'yes' }) });
    expect(status).toBe(400);
  });

  test.each([
    ['without a field', '', 50006],
    ['with a field twice', 'content=a&content=b', 50035],
    ['with a value that is not UTF-8', 'content=caf%e9', 50035],
    ['with a name that is not UTF-8', 'content=x&caf%e9=x', 50035],
    ['with malformed payload_json', 'payload_json=%7B', 50109],
  ])('%s is refused', async (_, text, code) => {
    const { status, body } = await form(text);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
  });

  test('with more than fifty fields is refused', async () => {
    const fields = Array.from({ length: 51 }, (_, at) => `f${at}=x`);
    expect((await form(fields.join('&'))).body.code).toBe(40005);
  });
});

describe('a body is refused with 413', () => {
  test('if its JSON exceeds 1 MiB (40005); the sender receives the response and can continue', async () => {
    for (const size of [MIB + 1, 30 * MIB]) {
      const { status, body } = await post(Buffer.alloc(size, 0x20), 'application/json');
      expect({ status, body }).toEqual({ status: 413, body: { code: 40005, message: 'Request entity too large' } });
    }
    expect((await post('{"content":"x"}', 'application/json')).status).toBe(200);
  });
});
