import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { Bodies, readText } from '../../src/http/bodies.js';
import { countFormBytes, openForm, receiveFile, runForm } from '../../src/http/forms.js';
import { it } from '../harness/fixtures.js';

const MIB = 1024 * 1024;
/** Maximum size of a message's files in bytes, with the overhead of the form. */
const MOST = 25 * MIB + 64 * 1024;

let app: AppContext;
it.beforeAll(({ server }) => {
  ({ app } = server);
});

describe('a multipart form', () => {
  const headers = (length?: number, type = 'multipart/form-data; boundary=x') => ({
    'content-type': type,
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  });

  it.each([undefined, 0, MOST])('of %s bytes is accepted for parsing', (length) => {
    const form = openForm({ headers: headers(length), stream: Readable.from([]) });
    // Destroying it before its end emits an error.
    form.on('error', () => {}).destroy();
    expect(form.destroyed).toBe(true);
  });

  it('with a larger Content-Length is refused before it is read', () => {
    const open = () => openForm({ headers: headers(MOST + 1), stream: Readable.from([]) });
    expect(open).toThrow(expect.objectContaining({ code: 'REQUEST_TOO_LARGE' }));
  });

  it.each(['multipart/form-data', 'text/plain; boundary=x'])('with the wrong content type is refused: %s', (type) => {
    const open = () => openForm({ headers: headers(5, type), stream: Readable.from([]) });
    expect(open).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        fields: [{ path: '', code: 'BASE_TYPE_INVALID', message: 'The multipart form is malformed.' }],
      }),
    );
  });

  it('that grows beyond the limit is reported once', async () => {
    const told: number[] = [];
    let sent = 0;
    const stream = new Readable({ read() {} });
    countFormBytes(stream, () => told.push(sent));
    for (const bytes of [MOST, 1]) {
      sent += bytes;
      stream.push(Buffer.alloc(bytes));
      await new Promise(setImmediate);
    }
    expect(told).toEqual([MOST + 1]);
  });

  it.each([
    ['whole', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n', true],
    ['cut short', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', false],
  ])('that is %s is read to its end: %s', async (_what, text, isWhole) => {
    const stream = Readable.from([Buffer.from(text)]);
    const form = openForm({ headers: headers(), stream });
    expect(await runForm(stream, form)).toBe(isWhole);
  });

  it('of a disconnected sender is incomplete', async () => {
    const stream = new Readable({ read() {} });
    stream.destroy();
    expect(await runForm(stream, openForm({ headers: headers(), stream }))).toBe(false);
  });
});

describe('a file has the declared content type, or else that of its name', () => {
  it.each([
    ['image/png', 'a.txt', 'image/png'],
    ['IMAGE/PNG', 'a.txt', 'image/png'],
    ['application/vnd.x+json', 'a.txt', 'application/vnd.x+json'],
    ['text/plain', 'a.png', 'image/png'],
    ['text/plain', 'a.unknown', 'application/octet-stream'],
    ['application/octet-stream', 'a.pdf', 'application/pdf'],
    ['nonsense', 'a.gif', 'image/gif'],
    ['image/png; x="\r\n"', 'a.gif', 'image/gif'],
    ['', 'nothing', 'application/octet-stream'],
  ])('%j of %s becomes %s', async (mimeType, filename, expected) => {
    const info = { filename, encoding: '7bit', mimeType };
    const received = await receiveFile(app.blobs, Readable.from([Buffer.from('x')]), info);
    expect([received.filename, received.contentType, received.blob.size]).toEqual([filename, expected, 1]);
    await received.blob.discard();
  });
});

describe('a text body', () => {
  const euro = Buffer.from('€');

  it('is decoded to its last byte, whatever its chunks', async () => {
    expect(await readText({ headers: {}, stream: Readable.from([euro.subarray(0, 1), euro.subarray(1)]) }, 3)).toBe(
      '€',
    );
    expect(await readText({ headers: {}, stream: Readable.from([]) }, 0)).toBe('');
  });

  it('that is one byte too long is refused and releases its memory', async () => {
    const bodies = new Bodies();
    const held = bodies.hold('sender');
    const text = readText(
      { headers: {}, stream: Readable.from([Buffer.alloc(31 * MIB), Buffer.alloc(MIB + 1)]) },
      32 * MIB,
      held,
    );
    await expect(text).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    bodies.hold('sender').add(32 * MIB);
  });

  it("counts against its sender's quota while it is used", async () => {
    const bodies = new Bodies();
    const held = bodies.hold('sender');
    await readText({ headers: {}, stream: Readable.from([Buffer.alloc(20 * MIB)]) }, 32 * MIB, held);
    const more = readText(
      { headers: {}, stream: Readable.from([Buffer.alloc(12 * MIB + 1)]) },
      32 * MIB,
      bodies.hold('sender'),
    );
    await expect(more).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    held.release();
    await readText({ headers: {}, stream: Readable.from([Buffer.alloc(32 * MIB)]) }, 32 * MIB, bodies.hold('sender'));
  });

  it('that is aborted is refused as incomplete', async () => {
    const stream = new Readable({ read() {} });
    const text = readText({ headers: {}, stream }, MIB);
    stream.push(Buffer.from('half'));
    stream.destroy();
    await expect(text).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: '', message: 'The request ended before its body was complete.' }],
    });
  });
});

it('the total quota can be filled to its last byte, including announced bytes', () => {
  const bodies = new Bodies();
  for (let sender = 0; sender < 7; sender += 1) bodies.hold(String(sender)).add(32 * MIB);
  const last = bodies.hold('last');
  last.add(30 * MIB);
  const another = bodies.hold('another');
  expect(() => another.add(2 * MIB + 1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  another.add(2 * MIB);
  expect(() => another.add(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
});

it('each sender may send five forms at once', () => {
  const bodies = new Bodies();
  const ends = Array.from({ length: 5 }, () => bodies.beginForm('sender'));
  expect(() => bodies.beginForm('sender')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
  bodies.beginForm('another');
  ends[0]?.();
  bodies.beginForm('sender');
});
