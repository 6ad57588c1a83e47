import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { DomainError } from '../../src/domain/errors.js';
import { Bodies } from '../../src/http/bodies.js';
import { readMultipart } from '../../src/rest-compat/multipart.js';
import { test } from '../harness/fixtures.js';

const MIB = 1024 * 1024;

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

type Part = [name: string, value: string, filename?: string];

async function received(parts: Part[], more: { admit?: () => Promise<void>; bodies?: Bodies } = {}) {
  const form = new FormData();
  for (const [name, value, filename] of parts) {
    if (filename === undefined) form.append(name, value);
    else form.append(name, new Blob([value]), filename);
  }
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const stream = Readable.from([Buffer.from(await encoded.arrayBuffer())]);
  const { bodies = new Bodies(), admit = async () => {} } = more;
  const receiver = { blobs: app.blobs, held: bodies.hold('sender'), admitFiles: admit };
  const { value, files } = await readMultipart({ headers, stream }, receiver);
  for (const file of files) await file.blob.discard();
  return { value, files: files.map(({ index, filename, blob }) => [index, filename, blob.size]) };
}

async function faultOf(parts: Part[]): Promise<unknown> {
  try {
    return await received(parts);
  } catch (error) {
    return error instanceof DomainError ? [error.code, ...error.fields] : error;
  }
}

describe('the JSON value of a form', () => {
  test.each<[parts: Part[], value: unknown]>([
    [[], {}],
    [[['payload_json', '{"a":1}']], { a: 1 }],
    [[['payload_json', '{"a":1}', 'blob']], { a: 1 }],
    [
      [
        ['content', 'x'],
        ['payload_json', '{"a":1}'],
      ],
      { a: 1 },
    ],
    [[['content', '5']], { content: '5' }],
    [
      [
        ['tts', 'true'],
        ['flags', '4'],
      ],
      { tts: 'true', flags: '4' },
    ],
    [[['tts', '1']], { tts: true }],
    [[['enforce_nonce', '0']], { enforce_nonce: false }],
    [[['content', '\ufefftrue']], { content: 'true' }],
  ])('from %j is %j', async (parts, value) => {
    expect(await received(parts)).toEqual({ value, files: [] });
  });
});

describe('the files of a form', () => {
  test.each([
    ['files[0]', 0],
    ['files[7]', 7],
    ['files[999]', 999],
    ['files3', 3],
    ['file[3]', 3],
    ['file3', 3],
    ['file', 0],
  ])('get their number from the name: %s is %i', async (name, index) => {
    expect((await received([[name, 'abc', 'a.txt']])).files).toEqual([[index, 'a.txt', 3]]);
  });

  test('get the next number if their name has none', async () => {
    const parts: Part[] = [
      ['files[0]', 'a', 'a.txt'],
      ['file', 'bb', 'b.txt'],
      ['file', 'ccc', 'c.txt'],
    ];
    expect((await received(parts)).files).toEqual([
      [0, 'a.txt', 1],
      [1, 'b.txt', 2],
      [2, 'c.txt', 3],
    ]);
  });

  test('are admitted once, and only if there are any', async () => {
    let asked = 0;
    const admit = async () => {
      asked += 1;
    };
    await received([['content', 'x']], { admit });
    expect(asked).toBe(0);
    const two: Part[] = [
      ['files[0]', 'a', 'a.txt'],
      ['files[1]', 'b', 'b.txt'],
    ];
    await received(two, { admit });
    expect(asked).toBe(1);
    const refused = received(two, { admit: () => Promise.reject(new DomainError('MISSING_PERMISSIONS')) });
    await expect(refused).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
  });
});

describe('a form is refused', () => {
  const badPart = (name: string) => [
    'INVALID_INPUT',
    {
      path: '',
      code: 'BASE_TYPE_CHOICES',
      message: `The part "${name}" is not a valid file. Name each file files[n], use each n once, and add a filename.`,
    },
  ];
  const repeated = (name: string) => [
    'INVALID_INPUT',
    { path: '', code: 'BASE_TYPE_INVALID', message: `The part "${name}" must appear only once in the form.` },
  ];

  test.each([
    ...[
      'upload',
      'files',
      'files[1000]',
      'files[]',
      'files[x]',
      'files[-1]',
      'files[1e3]',
      'files[0',
      'files0]',
      'xfiles[0]',
    ],
    'files[0]x',
  ])('with a file part named %s', async (name) => {
    expect(await faultOf([[name, 'a', 'a.txt']])).toEqual(badPart(name));
  });

  test.each(['files[0]', 'file1', 'file'])('with a text field named like a file, %s', async (name) => {
    expect(await faultOf([[name, 'a']])).toEqual(badPart(name));
  });

  test('with more than fifty fields', async () => {
    const fields = (count: number): Part[] => Array.from({ length: count }, (_, n) => [`f${n}`, 'x']);
    expect(Object.keys((await received(fields(50))).value as object)).toHaveLength(50);
    expect(await faultOf(fields(51))).toEqual(['REQUEST_TOO_LARGE']);
  });

  test('with long part names truncated in the fault', async () => {
    const name = 'n'.repeat(41);
    expect(await faultOf([[name, 'a', 'a.txt']])).toEqual(badPart('n'.repeat(40)));
    expect(
      await faultOf([
        [name, 'a'],
        [name, 'b'],
      ]),
    ).toEqual(repeated('n'.repeat(40)));
  });

  test('with a repeated number, in any notation', async () => {
    expect(
      await faultOf([
        ['files[1]', 'a', 'a.txt'],
        ['file1', 'b', 'b.txt'],
      ]),
    ).toEqual(badPart('files[n]'));
  });

  test('for its first fault', async () => {
    const parts: Part[] = [
      ['content', 'a'],
      ['content', 'b'],
      ['upload', 'a', 'a.txt'],
      ['files[0]', 'a', 'a.txt'],
    ];
    expect(await faultOf(parts)).toEqual(repeated('content'));
    expect(await faultOf(parts.toReversed())).toEqual(badPart('upload'));
  });

  test('with a field of more than 1 MiB', async () => {
    expect((await received([['content', 'x'.repeat(MIB - 1)]])).files).toEqual([]);
    expect(await faultOf([['content', 'x'.repeat(MIB + 1)]])).toEqual(['REQUEST_TOO_LARGE']);
  });

  test('with more than ten files', async () => {
    const files = (count: number): Part[] => Array.from({ length: count }, (_, n) => [`files[${n}]`, 'x', 'x.txt']);
    expect((await received(files(10))).files).toHaveLength(10);
    expect(await faultOf(files(11))).toEqual(['TOO_MANY_ATTACHMENTS']);
  });
});

test("the text and field names of a form count against the sender's memory quota", async () => {
  const bodies = new Bodies();
  bodies.hold('sender').add(32 * MIB - 8);
  expect((await received([['name', 'four']], { bodies })).value).toEqual({ name: 'four' });
  const more = received([['name', 'x']], { bodies });
  await expect(more).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});
