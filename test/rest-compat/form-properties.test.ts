import { isUtf8 } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { type RawAnswer, RawConnection } from '../harness/raw-http.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

/**
 * Properties of multipart forms. A valid form is stored byte for byte, whatever its chunks. Any other form is
 * refused, leaves nothing stored, and its connection serves the next request.
 */

const MIB = 1024 * 1024;

let server: TestServer;
let scene: Scene;
let connection: RawConnection;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  connection = await RawConnection.open(server);
  connection.socket.setNoDelay();
});

const staged = () => readdir(join(server.app.config.dataDir, 'blobs/.staging')).catch(() => []);
afterEach(() => expect.poll(staged).toEqual([]));

function headOf(length: string, contentType = 'multipart/form-data; boundary=b'): string {
  const lines = [
    `POST /api/v10${scene.messages} HTTP/1.1`,
    'Host: x',
    `Authorization: Bot ${scene.bot.bot.token}`,
    `Content-Type: ${contentType}`,
    length,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function sendChunks(pieces: Buffer[], contentType?: string): Promise<RawAnswer> {
  connection.socket.write(headOf('Transfer-Encoding: chunked', contentType));
  for (const piece of pieces.filter(({ length }) => length > 0)) {
    connection.socket.write(
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    );
  }
  connection.write('0', '', '');
  return connection.answer();
}

const send = (body: Buffer | string) => sendChunks([Buffer.from(body)]);

/** Expects a refusal in Discord's error format, and that the connection serves the next request. */
async function expectRefusal({ status, headers, body }: RawAnswer, refused = [400, 50035]): Promise<void> {
  const { message, code } = JSON.parse(body);
  expect([status, code], body).toEqual(refused);
  expect([typeof message, headers['content-type']]).toEqual(['string', 'application/json']);
  await expect.poll(staged).toEqual([]);
  expect((await send(`--b\r\n${field('content')}\r\n\r\nnext\r\n--b--`)).status).toBe(200);
}

const field = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const file = (name: string, filename: string) => `${field(name)}; filename="${filename}"`;

/** Encodes text as RFC 5987 does. */
const extValue = (text: string) =>
  encodeURIComponent(text).replace(/['(]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);

interface SentFile {
  index: number;
  nameOf: (index: number) => string;
  filename: string;
  writeFilename: (filename: string) => string;
  content: Buffer;
  type: string | undefined;
  note: { filename?: string; description?: string } | undefined;
}

const letters = [...'aZ7_-. ', '"', "'", '(', 'ä', '猫', '🦉'];
const filename = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 12 });

/**
 * The name that is shown for a file. Other characters than letters, digits, dots, underscores and hyphens become
 * underscores, and leading dots are removed.
 */
function shownAs(name: string): string {
  return name.replace(/[^aZ7ä猫._-]+/gu, '_').replace(/^\.+/, '') || 'unknown';
}

const content = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom('\r', '\n', '-', '--', '\r\n--', 'x', '"'), { maxLength: 20 })
    .map((parts) => Buffer.from(parts.join(''))),
  fc.integer({ min: 0, max: 200_000 }).map((size) => Buffer.alloc(size, 'abc')),
);

const files: fc.Arbitrary<SentFile[]> = fc.uniqueArray(
  fc.record({
    index: fc.integer({ min: 0, max: 999 }),
    nameOf: fc.constantFrom(
      (n: number) => `files[${n}]`,
      (n: number) => `files${n}`,
      (n: number) => `file[${n}]`,
      (n: number) => `file${n}`,
    ),
    filename,
    writeFilename: fc.constantFrom(
      (name: string) => `filename="${name.replaceAll('"', '\\"')}"`,
      (name: string) => `filename*=UTF-8''${extValue(name)}`,
      (name: string) => `filename="other"; filename*=utf-8''${extValue(name)}`,
    ),
    content,
    type: fc.constantFrom(undefined, 'image/png', 'application/octet-stream', 'text/plain; charset=utf-8'),
    note: fc.option(
      fc.record({ filename, description: fc.constantFrom('words', ' ', 'x'.repeat(1_024)) }, { requiredKeys: [] }),
      { nil: undefined },
    ),
  }),
  { maxLength: 4, selector: ({ index }) => index },
);

const header = fc.constantFrom(
  (name: string, value: string) => `${name}: ${value}`,
  (name: string, value: string) => `${name.toLowerCase()}:${value}`,
  (name: string, value: string) => `${name.toUpperCase()}:  ${value}`,
);

const payloadParts = ['', '; filename="blob"', ''].map((more, n) => [
  `form-data; name="payload_json"${more}`,
  n === 0 ? undefined : 'application/json',
]);

const boundary = fc
  .string({ unit: fc.constantFrom(..."azAZ09'()+_,-./:=?"), minLength: 1, maxLength: 70 })
  .filter((text) => !text.endsWith(' '));

const goodForm = fc.record({
  files,
  header,
  payloadPart: fc.constantFrom(...payloadParts),
  boundary,
  turn: fc.nat(),
  preamble: fc.constantFrom('', 'a preamble\r\n'),
  epilogue: fc.constantFrom('', '\r\n', '\r\nan epilogue'),
  cuts: fc.array(fc.nat({ max: 3_000 }), { maxLength: 12 }),
});

function written(form: typeof goodForm extends fc.Arbitrary<infer Form> ? Form : never): Buffer[] {
  const { files, header, payloadPart, boundary, turn, preamble, epilogue, cuts } = form;
  const notes = files.flatMap(({ index, note }) => (note ? [{ id: index, ...note }] : []));
  const part = (disposition: string, type: string | undefined, content: Buffer) => {
    const head = [header('Content-Disposition', disposition), ...(type ? [header('Content-Type', type)] : [])];
    return Buffer.concat([Buffer.from(`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`), content, Buffer.from('\r\n')]);
  };
  const parts = files.map(({ index, nameOf, filename, writeFilename, type, content }) =>
    part(`form-data; name="${nameOf(index)}"; ${writeFilename(filename)}`, type, content),
  );
  const [disposition = '', type] = payloadPart;
  parts.splice(
    turn % (parts.length + 1),
    0,
    part(disposition, type, Buffer.from(JSON.stringify({ content: 'hello', attachments: notes }))),
  );
  const bytes = Buffer.concat([Buffer.from(preamble), ...parts, Buffer.from(`--${boundary}--${epilogue}`)]);
  const ends = [...cuts, bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, n) => bytes.subarray(ends[n - 1] ?? 0, end));
}

describe('a valid form', () => {
  test('is stored byte for byte, whatever the order of its parts, its boundary, its names and its chunks', async () => {
    await fc.assert(
      fc.asyncProperty(goodForm, async (form) => {
        fc.pre(form.files.every(({ content }) => !content.includes(`--${form.boundary}`)));
        const { status, body } = await sendChunks(written(form), `multipart/form-data; boundary="${form.boundary}"`);
        const { content, attachments } = JSON.parse(body);
        expect([status, content], body).toEqual([200, 'hello']);
        expect(
          attachments.map(({ filename, size, description }: Record<string, unknown>) => [filename, size, description]),
        ).toEqual(
          form.files.map(({ filename, content, note }) => [
            shownAs(note?.filename ?? filename),
            content.length,
            note?.description?.trim() || undefined,
          ]),
        );
        for (const [n, { content }] of form.files.entries()) {
          const served = Buffer.from(await (await fetch(attachments[n].url)).arrayBuffer());
          expect(served.equals(content)).toBe(true);
        }
        expect(await staged()).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('of plain fields has the same effect as JSON', async () => {
    const text = fc
      .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
      .filter((text) => /\S/.test(text) && !text.includes('\0'));
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), fc.constantFrom(0, 4, 4096), async (content, tts, flags) => {
        const plain = { content, tts: String(tts), flags: String(flags), nonce: '17' };
        const parts = Object.entries(plain).map(([name, value]) => `--b\r\n${field(name)}\r\n\r\n${value}\r\n`);
        const { body } = await send(`${parts.join('')}--b--`);
        const inJson = await scene.bot.post(scene.messages, { content, tts, flags, nonce: 17 });
        const said = ({ content, tts, flags, nonce }: Record<string, unknown>) => ({ content, tts, flags, nonce });
        expect(said(JSON.parse(body))).toEqual(said(inJson.body));
      }),
      { numRuns: 15 },
    );
  });
});

const someBytes = fc
  .array(fc.constantFrom(...['a', 'é', '😀', '\ufffd'].map((text) => Buffer.from(text)), Buffer.from([0xe9])), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pieces) => Buffer.concat(pieces));

describe('text in a form', () => {
  test.each(['', '\r\nContent-Type: text/plain; charset=utf-8'])(
    'is kept if it is UTF-8 and refused otherwise, whatever other parts contain%s',
    async (type) => {
      const part = (head: string, content: Buffer) =>
        Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), content, Buffer.from('\r\n')]);
      await fc.assert(
        fc.asyncProperty(someBytes, someBytes, fc.nat({ max: 400 }), async (content, other, cut) => {
          const form = Buffer.concat([
            part(file('files[0]', 'a.txt'), other),
            part(field('content') + type, content),
            part(file('files[1]', 'b.txt'), other),
            Buffer.from('--b--'),
          ]);
          const answer = await sendChunks([form.subarray(0, cut), form.subarray(cut)]);
          if (!isUtf8(content)) return expectRefusal(answer);
          expect([answer.status, JSON.parse(answer.body).content]).toEqual([200, content.toString()]);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('is refused in payload_json if it is not UTF-8, in a field and in a file part', async () => {
    for (const head of [field('payload_json'), file('payload_json', 'blob')]) {
      const json = Buffer.from('{"content":"café"}', 'latin1');
      await expectRefusal(
        await send(Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), json, Buffer.from('\r\n--b--')])),
      );
    }
  });

  test('is decoded with the charset of its part', async () => {
    const head = `--b\r\n${field('content')}\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n`;
    const { body } = await send(Buffer.from(`${head}café\r\n--b--`, 'latin1'));
    expect(JSON.parse(body).content).toBe('café');
  });

  test('is Latin-1 in a filename that is not UTF-8', async () => {
    const form = (encoding: 'utf8' | 'latin1') =>
      send(Buffer.from(`--b\r\n${file('files[0]', 'café.txt')}\r\n\r\nx\r\n--b--`, encoding));
    const names = [await form('utf8'), await form('latin1')].map(
      ({ body }) => JSON.parse(body).attachments[0].filename,
    );
    expect(names).toEqual(['café.txt', 'café.txt']);
  });
});

describe('a truncated form', () => {
  const whole = Buffer.from(
    [
      `--b\r\n${field('payload_json')}\r\n\r\n{"content":"hello"}\r\n`,
      `--b\r\n${file('files[0]', 'a.txt')}\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(100)}\r\n`,
      `--b\r\n${file('files[1]', 'b.txt')}\r\n\r\n\r\n--b--`,
    ].join(''),
  );
  const end = fc.nat({ max: whole.length - 1 });

  test('is refused, wherever it ends', async () => {
    expect((await send(whole)).status).toBe(200);
    await fc.assert(
      fc.asyncProperty(end, async (end) => expectRefusal(await send(whole.subarray(0, end)))),
      { numRuns: 40, examples: [[0], [whole.length - 1], [whole.length - 2]] },
    );
  });

  test('leaves nothing stored if the connection closes with it', async () => {
    await fc.assert(
      fc.asyncProperty(end, async (end) => {
        const other = await RawConnection.open(server);
        other.write(headOf(`Content-Length: ${whole.length}`));
        other.socket.end(whole.subarray(0, end));
        await other.closed;
        await expect.poll(staged).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('by a short Content-Length is refused, and the rest is not read as a request', async () => {
    const other = await RawConnection.open(server);
    other.write(headOf(`Content-Length: ${whole.length - 40}`));
    other.socket.write(whole);
    expect((await other.answer()).status).toBe(400);
    await other.closed;
    await expect.poll(staged).toEqual([]);
  });
});

describe('a form is refused', () => {
  test.each([
    ['a field without a name', 'Content-Disposition: form-data'],
    ['a field whose name is empty', field('')],
    ['a file without a name', 'Content-Disposition: form-data; filename="x"'],
    ['a file whose name is empty', file('', 'x')],
    ['a file without a filename', field('files[0]')],
    ['a file whose filename is empty', file('files[0]', '')],
    ['a field in an unknown charset', `${field('content')}\r\nContent-Type: text/plain; charset=none`],
    ['a head of 20 KB', `X-Long: ${'x'.repeat(20_000)}\r\n${field('content')}`],
    ['a head of 3,000 lines', `${'X: y\r\n'.repeat(3_000)}${field('content')}`],
    ['a name of 15 KB', `Content-Disposition: form-data; filename="x"; name="${'x'.repeat(15_000)}"`],
  ])('for %s', async (_, head) => {
    await expectRefusal(await send(`--b\r\n${field('content')}\r\n\r\nhello\r\n--b\r\n${head}\r\n\r\nx\r\n--b--`));
  });

  test('for payload_json of more than 1 MiB, in a field and in a file part (40005)', async () => {
    for (const head of [field('payload_json'), file('payload_json', 'blob')]) {
      const json = `{"content":"hello"}${' '.repeat(MIB)}`;
      const form = `--b\r\n${file('files[0]', 'a')}\r\n\r\nx\r\n--b\r\n${head}\r\n\r\n${json}\r\n--b--`;
      await expectRefusal(await send(form), [413, 40005]);
    }
  });

  test('for a file of more than 10 MiB, before the rest of it is sent (50045)', async () => {
    const begun = Buffer.concat([Buffer.from(`--b\r\n${file('files[0]', 'a')}\r\n\r\n`), Buffer.alloc(10 * MIB + 1)]);
    connection.write(headOf(`Content-Length: ${begun.length + MIB}`));
    connection.socket.write(begun);
    const answer = await connection.answer();
    connection.socket.write(Buffer.alloc(MIB));
    await expectRefusal(answer, [413, 50045]);
  });

  test('for a Content-Length of more than 25 MiB, before the body is sent (40005)', async () => {
    const other = await RawConnection.open(server);
    other.write(headOf(`Content-Length: ${26 * MIB}`));
    expect(JSON.parse((await other.answer()).body).code).toBe(40005);
    other.socket.destroy();
  });

  test('for a chunked body of more than 25 MiB (40005)', async () => {
    const parts = [0, 1, 2].flatMap((n) => [
      Buffer.from(`--b\r\n${file(`files[${n}]`, 'a')}\r\n\r\n`),
      Buffer.alloc(9 * MIB),
      Buffer.from('\r\n'),
    ]);
    await expectRefusal(await sendChunks([...parts, Buffer.from('--b--')]), [413, 40005]);
  });

  test('for the eleventh file (30015)', async () => {
    const part = (n: number) => `--b\r\n${file(`files[${n}]`, 'a')}\r\n\r\nx\r\n`;
    await expectRefusal(await send(`${Array.from({ length: 11 }, (_, n) => part(n)).join('')}--b--`), [400, 30015]);
  });
});
