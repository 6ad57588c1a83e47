import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { beforeEach, describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { countHeld, countReceived } from '../harness/forms.js';
import { RawConnection } from '../harness/raw-http.js';
import { expectReference } from '../harness/reference.js';
import { formOf, openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
});

const MIB = 1024 * 1024;

/** A PNG header with a size of 3 by 2. */
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000030000000208060000009d7481e8', 'hex');

const upload = (payload: unknown, ...files: Parameters<typeof formOf>[1][]) =>
  scene.bot.ask('POST', scene.messages, { form: formOf(payload, ...files) });

function rawForm(parts: [string, string][], ending = '--b--\r\n') {
  const body = parts.map(([head, content]) => `--b\r\n${head}\r\n\r\n${content}\r\n`).join('');
  return { body: body + ending, headers: { 'content-type': 'multipart/form-data; boundary=b' } };
}

const file = (name: string, filename: string) =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"`;
const field = (name: string) => `Content-Disposition: form-data; name="${name}"`;

async function storedFiles(): Promise<string[]> {
  const folder = join(server.app.config.dataDir, 'blobs');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const ofChannel = async () => (await storedFiles()).filter((path) => path.includes(scene.channelId));
const staged = async () => (await storedFiles()).filter((path) => path.includes('.staging'));

describe('an upload succeeds', () => {
  test('with titles and with spoiler marks in either form, which an edit changes', async () => {
    const { body } = await upload(
      { attachments: [{ id: 0, title: 'T', is_spoiler: true }, { id: 1 }, { id: 2, is_spoiler: false, title: null }] },
      { name: 'files[0]', filename: 'a.png', content: PNG },
      { name: 'files[1]', filename: 'SPOILER_b.txt', content: 'b' },
      { name: 'files[2]', filename: '[4f2c1ab] @ben (1).txt', content: 'c' },
    );
    expectReference('MessageResponse', body);
    const [a, b, c] = body.attachments;
    expect(a).toMatchObject({ filename: 'a.png', title: 'T', flags: 8 });
    expect(b).toMatchObject({ filename: 'SPOILER_b.txt', flags: 8 });
    expect(c).toMatchObject({ filename: '_4f2c1ab_ben_1_.txt', title: '[4f2c1ab] @ben (1)' });
    expect([b.title, c.flags]).toEqual([undefined, undefined]);
    const attachments = [
      { id: a.id, is_spoiler: false },
      { id: b.id, is_spoiler: null },
      { id: c.id, is_spoiler: true },
    ];
    const edited = await scene.bot.patch(`${scene.messages}/${body.id}`, { attachments });
    const read = await scene.bot.get(`${scene.messages}/${body.id}`);
    for (const message of [edited.body, read.body]) {
      expect(message.attachments.map((file: { flags?: number }) => file.flags)).toEqual([undefined, 8, 8]);
      expect(message.attachments.map((file: { title?: string }) => file.title)).toEqual(['T', undefined, c.title]);
    }
  });

  test.each([
    ['title', 'x'.repeat(1_025), 'BASE_TYPE_MAX_LENGTH'],
    ['is_spoiler', 'yes', 'BOOLEAN_TYPE_CONVERT'],
  ])('unless a file has the %s %j (400)', async (name, value, code) => {
    const { status, body } = await upload(
      { attachments: [{ id: 0, [name]: value }] },
      { name: 'files[0]', filename: 'a.txt', content: 'a' },
    );
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: { attachments: { 0: { [name]: { _errors: [{ code }] } } } },
    });
  });

  test('with descriptions, matched by the n of files[n]', async () => {
    const { status, body } = await upload(
      {
        content: 'two',
        attachments: [
          { id: '1', description: 'second' },
          { id: 0, filename: 'renamed.txt' },
        ],
      },
      { name: 'files[0]', content: 'first', filename: 'a.txt' },
      { name: 'files[1]', content: PNG, filename: 'b.png', type: 'image/png' },
    );
    expect(status).toBe(200);
    expectReference('MessageResponse', body);
    expect(body.attachments).toMatchObject([
      { filename: 'renamed.txt', size: 5, content_type: 'text/plain' },
      { filename: 'b.png', size: PNG.length, content_type: 'image/png', description: 'second', width: 3, height: 2 },
    ]);
    expect(body.attachments[0]).not.toHaveProperty('description');
    expect(body.attachments[0]).not.toHaveProperty('width');
    expect(await ofChannel()).toHaveLength(2);
    expect(await staged()).toEqual([]);
    expect((await scene.bot.get(`${scene.messages}/${body.id}`)).body).toEqual(body);
  });

  test('with plain fields instead of payload_json', async () => {
    const form = new FormData();
    form.append('content', 'plain');
    form.append('tts', 'false');
    form.append('files[0]', new Blob(['x']), 'x.txt');
    const { status, body } = await scene.bot.ask('POST', scene.messages, { form });
    expect(status).toBe(200);
    expect(body).toMatchObject({ content: 'plain', tts: false, attachments: [{ filename: 'x.txt' }] });
  });

  test('with payload_json as a typed part and as a file part', async () => {
    const json = '{"content":"from a part"}';
    const typed = rawForm([[`${field('payload_json')}\r\nContent-Type: application/json`, json]]);
    expect((await scene.bot.ask('POST', scene.messages, typed)).body.content).toBe('from a part');
    const form = new FormData();
    form.append('payload_json', new Blob([json], { type: 'application/json' }));
    expect((await scene.bot.ask('POST', scene.messages, { form })).body.content).toBe('from a part');
  });

  test('with the part names of older libraries', async () => {
    for (const name of ['file', 'file0', 'files0', 'file[0]']) {
      const { body } = await upload({}, { name, content: 'x', filename: 'x.txt' });
      expect(body.attachments).toHaveLength(1);
    }
  });

  test('with two files of the same name', async () => {
    const { body } = await upload(
      {},
      { name: 'files[0]', content: 'one', filename: 'same.txt' },
      { name: 'files[5]', content: 'two', filename: 'same.txt' },
    );
    const [one, two] = body.attachments;
    expect(await (await fetch(one.url)).text()).toBe('one');
    expect(await (await fetch(two.url)).text()).toBe('two');
  });

  test('with an empty file', async () => {
    const { body } = await upload({}, { name: 'files[0]', content: '', filename: 'empty.txt' });
    expect(body.attachments[0].size).toBe(0);
    const served = await fetch(body.attachments[0].url);
    expect([served.status, await served.text()]).toEqual([200, '']);
  });

  test.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/absolute/name.txt', 'name.txt'],
    ['..', 'unknown'],
    ['.hidden', 'hidden'],
    ['sp ace & "quotes".txt', /^sp_ace_.*quotes.*\.txt$/],
    ['Ünïcödé 猫.txt', 'Ünïcödé_猫.txt'],
    [`${'𝒜'.repeat(150)}.png`, `${'𝒜'.repeat(96)}.png`],
    [`${'猫'.repeat(500)}.txt`, `${'猫'.repeat(96)}.txt`],
  ])('with the name %j sanitized', async (filename, safe) => {
    const { status, body } = await upload({}, { name: 'files[0]', content: 'x', filename });
    expect(status).toBe(200);
    expect(body.attachments[0].filename).toEqual(typeof safe === 'string' ? safe : expect.stringMatching(safe));
    expect((await fetch(body.attachments[0].url)).status).toBe(200);
    for (const path of await ofChannel()) expect(path).toMatch(/\/attachments\/\d+\/\d+\/\d+$/);
  });

  test("with attachment:// in embeds resolved to the file's URL", async () => {
    const { body } = await upload(
      { embeds: [{ image: { url: 'attachment://cat.png' }, footer: { text: 'x', icon_url: 'attachment://cat.png' } }] },
      { name: 'files[0]', content: PNG, filename: 'cat.png', type: 'image/png' },
    );
    expect(body.embeds[0].image.url).toBe(body.attachments[0].url);
    expect(body.embeds[0].footer.icon_url).toBe(body.attachments[0].url);
  });

  test('with the image size only for formats with a simple header', async () => {
    const box = (type: string, ...content: Buffer[]) => {
      const body = Buffer.concat([Buffer.from(type), ...content]);
      const size = Buffer.alloc(4);
      size.writeUInt32BE(body.length + 4);
      return Buffer.concat([size, body]);
    };
    const size = Buffer.from('000000000000000300000002', 'hex');
    const boxes = box('meta', Buffer.alloc(4), box('iprp', box('ipco', box('ispe', size))));
    const heif = Buffer.concat([box('ftyp', Buffer.from('heic'), Buffer.alloc(4)), boxes]);
    expect(imageSize(heif)).toMatchObject({ width: 3, height: 2 });
    const { body } = await upload(
      {},
      { name: 'files[0]', content: heif, filename: 'a.heic', type: 'image/heic' },
      { name: 'files[1]', content: PNG, filename: 'b.png', type: 'image/png' },
    );
    expect(body.attachments.map(({ width = null }) => width)).toEqual([null, 3]);
  });

  test('with ten files', async () => {
    const files = Array.from({ length: 10 }, (_, n) => ({ name: `files[${n}]`, content: 'x', filename: `${n}.txt` }));
    expect((await upload({}, ...files)).body.attachments).toHaveLength(10);
  });

  test('with a file of exactly 10 MiB', async () => {
    const { status } = await upload({}, { name: 'files[0]', content: Buffer.alloc(10 * MIB), filename: 'big.bin' });
    expect(status).toBe(200);
  });
});

describe('an upload is refused with 400', () => {
  const CASES: [string, ReturnType<typeof rawForm>, number][] = [
    [
      'the same n twice',
      rawForm([
        [file('files[0]', 'a'), 'a'],
        [file('files[0]', 'b'), 'b'],
      ]),
      50035,
    ],
    ...[
      ['twice as fields', field('payload_json'), field('payload_json')],
      ['twice as file parts', file('payload_json', 'a'), file('payload_json', 'b')],
      ['as a field and as a file part', field('payload_json'), file('payload_json', 'b')],
      ['as a file part and as a field', file('payload_json', 'a'), field('payload_json')],
    ].map(([how = '', one = '', two = '']): (typeof CASES)[number] => {
      const parts: [string, string][] = [one, two].map((head) => [head, '{"content":"x"}']);
      return [`payload_json ${how}`, rawForm([[file('files[0]', 'a'), 'a'], ...parts]), 50035];
    }),
    [
      'a plain field twice',
      rawForm([
        [field('content'), 'a'],
        [field('content'), 'b'],
      ]),
      50035,
    ],
    ['a file part of another name', rawForm([[file('upload', 'a'), 'a']]), 50035],
    ['an n that is no number', rawForm([[file('files[x]', 'a'), 'a']]), 50035],
    ['no end of the form', rawForm([[file('files[0]', 'a'), 'a']], ''), 50035],
    ['no end of a file that is dropped anyway', rawForm([[file('upload', 'a'), 'a']], ''), 50035],
    ['no end of a part', { ...rawForm([]), body: `--b\r\n${file('files[0]', 'a')}\r\n\r\nabc` }, 50035],
    ['no end of a head', { ...rawForm([]), body: '--b\r\nContent-Dispo' }, 50035],
    [
      'a part without a head, before a file without an end',
      rawForm(
        [
          ['', 'x'],
          [file('files[0]', 'a'), 'a'],
        ],
        '',
      ),
      50035,
    ],
    ['no form at all', { ...rawForm([]), body: 'something else' }, 50035],
    ['an empty body', { ...rawForm([]), body: '' }, 50035],
    ['no boundary', { body: '--b--\r\n', headers: { 'content-type': 'multipart/form-data' } }, 50035],
    ['an empty form', rawForm([]), 50006],
    [
      'payload_json that is no JSON',
      rawForm([
        [field('payload_json'), '{'],
        [file('files[0]', 'a'), 'a'],
      ]),
      50109,
    ],
    [
      'payload_json that is no object',
      rawForm([
        [field('payload_json'), '[]'],
        [file('files[0]', 'a'), 'a'],
      ]),
      50035,
    ],
    ['U+0000 in a plain field', rawForm([[field('content'), 'a\u0000']]), 50035],
    [
      'flags that are no number',
      rawForm([
        [field('content'), 'a'],
        [field('flags'), 'x'],
      ]),
      50035,
    ],
  ];

  test.each(CASES)('for %s; nothing stays on disk', async (_, form, code) => {
    const { status, body } = await scene.bot.ask('POST', scene.messages, form);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect([...(await ofChannel()), ...(await staged())]).toEqual([]);
  });

  test('for an attachment entry without its file', async () => {
    const { body } = await upload(
      { attachments: [{ id: 0 }, { id: 7 }] },
      { name: 'files[0]', content: 'x', filename: 'x' },
    );
    expect(body).toMatchObject({
      code: 50035,
      errors: { attachments: { 1: { id: { _errors: [{ code: 'ATTACHMENT_NOT_FOUND' }] } } } },
    });
    expect(await staged()).toEqual([]);
  });

  test('for eleven files (30015)', async () => {
    const files = Array.from({ length: 11 }, (_, n) => ({ name: `files[${n}]`, content: 'x', filename: `${n}.txt` }));
    const { status, body } = await upload({}, ...files);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 30015 });
    expect([...(await ofChannel()), ...(await staged())]).toEqual([]);
  });

  test('unless the route ignores files', async () => {
    const form = formOf({}, { name: 'files[0]', content: 'x', filename: 'x' });
    expect((await scene.bot.ask('POST', `/channels/${scene.channelId}/typing`, { form })).status).toBe(204);
    expect(await staged()).toEqual([]);
  });
});

describe('an upload is refused with 403', () => {
  const FILE = { name: 'files[0]', content: 'x', filename: 'x' };

  test('without AttachFiles, before a file is received', async () => {
    const { body: own } = await upload({ content: 'x' }, FILE);
    const { body: foreign } = await scene.other.ask('POST', scene.messages, { json: { content: 'another' } });
    await scene.permit(0x400n | 0x800n);
    const received = countReceived(server);
    const answers = [
      await upload({ content: 'x' }, FILE),
      await scene.bot.ask('PATCH', `${scene.messages}/${own.id}`, { form: formOf({ content: 'y' }, FILE) }),
      await scene.bot.ask('PATCH', `${scene.messages}/${foreign.id}`, { form: formOf({ content: 'y' }, FILE) }),
      await scene.bot.ask('PATCH', `${scene.messages}/1`, { form: formOf({ content: 'y' }, FILE) }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 50013],
      [403, 50013],
      [403, 50005],
      [404, 10008],
    ]);
    expect(received).toEqual({ files: 0, bytes: 0 });
    expect(await staged()).toEqual([]);
  });
});

describe('an upload is refused with 413', () => {
  test('for a file over 10 MiB (50045)', async () => {
    const { status, body } = await upload({}, { name: 'files[0]', content: Buffer.alloc(10 * MIB + 1), filename: 'x' });
    expect({ status, code: body.code }).toEqual({ status: 413, code: 50045 });
    expect([...(await ofChannel()), ...(await staged())]).toEqual([]);
  });

  test('for a request over 25 MiB (40005)', async () => {
    const files = [0, 1, 2].map((n) => ({ name: `files[${n}]`, content: Buffer.alloc(9 * MIB), filename: 'x' }));
    const { status, body } = await upload({}, ...files);
    expect({ status, code: body.code }).toEqual({ status: 413, code: 40005 });
    expect([...(await ofChannel()), ...(await staged())]).toEqual([]);
  });
});

describe('the text of a form', () => {
  async function begin(...parts: [string, string][]): Promise<RawConnection> {
    const connection = await RawConnection.open(server);
    const head = [
      `POST /api/v10${scene.messages} HTTP/1.1`,
      'Host: x',
      `Authorization: Bot ${scene.bot.bot.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 25000000',
    ];
    connection.write(...head, '', rawForm(parts, '--b\r\n').body);
    return connection;
  }
  const fields = (count: number) =>
    Array.from({ length: count }, (_, n): [string, string] => [field(`f${n}`), 'x'.repeat(MIB - 1)]);

  test("counts against the sender's memory quota", async () => {
    const held = countHeld(server);
    const first = await begin(...fields(20));
    await expect.poll(() => held.bytes, { timeout: 8_000 }).toBeGreaterThanOrEqual(20 * (MIB - 1));
    const second = await begin(...fields(20));
    expect((await second.answer()).status).toBe(429);
    for (const { socket } of [first, second]) socket.destroy();
    await expect.poll(() => held.bytes, { timeout: 8_000 }).toBe(0);
  });

  test('counts as it arrives if payload_json is a file part', async () => {
    const held = countHeld(server);
    const connection = await begin([file('payload_json', 'a'), 'x'.repeat(500_000)], [field('f'), '']);
    await expect.poll(() => held.bytes, { timeout: 8_000 }).toBeGreaterThanOrEqual(500_000);
    connection.socket.destroy();
    await expect.poll(() => held.bytes, { timeout: 8_000 }).toBe(0);
  });

  test.each([
    ['answered', field('content'), 200],
    ['answered, as a file part', file('payload_json', 'a'), 200],
    ['refused', field('embeds'), 400],
    ['refused, before it was read', file('other', 'a'), 400],
  ])('no longer counts after it was %s', async (_case, head, status) => {
    const held = countHeld(server);
    const form = rawForm([[head, '{"content":"x"}']]);
    expect((await scene.bot.ask('POST', scene.messages, form)).status).toBe(status);
    expect(held.bytes).toBe(0);
  });
});

describe('an aborted upload', () => {
  test('leaves no file, and the server continues to work', async () => {
    const { hostname, port } = new URL(server.origin);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const head = [
      `POST /api/v10${scene.messages} HTTP/1.1`,
      'Host: x',
      `Authorization: Bot ${scene.bot.bot.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 1000000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n--b\r\n${file('files[0]', 'a.bin')}\r\n\r\n${'x'.repeat(300_000)}`);
    await expect.poll(staged).toHaveLength(1);
    socket.destroy();
    await once(socket, 'close');
    await expect.poll(staged).toEqual([]);
    expect((await scene.send()).content).toBe('hello');
  });
});

describe('a failing disk', () => {
  test('causes a 500 at once', async () => {
    const broken = await startServer();
    await mkdir(join(broken.app.config.dataDir, 'blobs'), { recursive: true });
    await writeFile(join(broken.app.config.dataDir, 'blobs/.staging'), 'in the way');
    const elsewhere = await openScene(broken);
    const form = formOf({}, ...[0, 1].map((n) => ({ name: `files[${n}]`, content: 'x'.repeat(MIB), filename: 'x' })));
    const { status, body } = await elsewhere.bot.ask('POST', elsewhere.messages, { form });
    expect({ status, body }).toEqual({ status: 500, body: { message: '500: Internal Server Error', code: 0 } });
    await broken.stop();
  });
});
