import { deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodingFor, plain, zlibPayloads } from '../../src/gateway/compression.js';
import { GatewayEvent, Payload, Piece } from '../../src/gateway/events.js';
import { SOCKET_HIGH_WATER } from '../../src/gateway/protocol.js';
import { type Outlet, Transmitter } from '../../src/gateway/transmitter.js';

class Wire implements Outlet {
  readonly written: Buffer[] = [];
  pending = 0;
  write(frame: Buffer): void {
    this.written.push(Buffer.from(frame));
  }
  close(): void {}
  destroy(): void {}
}

/** Reads one whole unmasked frame (RFC 6455, section 5.2), with its length in the shortest form. */
function read(frame: Buffer): { opcode: number; body: Buffer } {
  expect(frame[0]! & 0xf0).toBe(0x80);
  const short = frame[1]!;
  expect(short).toBeLessThan(128);
  const length = short < 126 ? short : short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
  if (short === 126) expect(length).toBeGreaterThan(125);
  if (short === 127) expect(length).toBeGreaterThan(65_535);
  const body = frame.subarray(short < 126 ? 2 : short === 126 ? 4 : 10);
  expect(body).toHaveLength(length);
  return { opcode: frame[0]! & 0x0f, body };
}

const TEXT = 1;
const BINARY = 2;

function transmitter(compress = ''): { wire: Wire; of: Transmitter } {
  const wire = new Wire();
  return { wire, of: new Transmitter(wire, encodingFor(compress) ?? plain, { drained() {} }) };
}

describe('a frame', () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, 65_537])(
    'of %i bytes has its length in the shortest form',
    (length) => {
      const { wire, of } = transmitter();
      for (const text of ['x'.repeat(length), 'y'.repeat(length)]) of.send(new Payload(text));
      expect(wire.written.map((frame) => read(frame)).map(({ opcode, body }) => [opcode, String(body)])).toEqual([
        [TEXT, 'x'.repeat(length)],
        [TEXT, 'y'.repeat(length)],
      ]);
    },
  );

  it('is made once for all connections with the same encoding, apart from their first bytes', () => {
    const [one, two] = [transmitter('zlib-stream'), transmitter('zlib-stream')];
    const payloads = [new Payload('first'), new Payload('second')];
    for (const payload of payloads) for (const { of } of [one, two]) of.send(payload);
    expect(one.wire.written).toEqual(two.wire.written);
    const [first, second] = one.wire.written.map((frame) => read(frame));
    expect([first?.opcode, second?.opcode]).toEqual([BINARY, BINARY]);
    expect(first?.body.subarray(0, 2)).toEqual(Buffer.from([0x78, 0x9c]));
    expect(inflateRawSync(second!.body, { finishFlush: 2 }).toString()).toBe('second');
  });
});

describe('compressed payloads', () => {
  it.each([
    [1_023, TEXT],
    [1_024, BINARY],
  ])('of %i bytes are sent as opcode %i, pieces counted', (length, opcode) => {
    const { wire, of } = transmitter();
    of.compressPayloads();
    of.send(new Payload('x'.repeat(24), [new Piece('é'.repeat(100)), new Piece('y'.repeat(length - 224))]));
    const frame = read(wire.written[0]!);
    expect(frame.opcode).toBe(opcode);
    const text = opcode === TEXT ? frame.body : inflateSync(frame.body);
    expect(String(text)).toBe('x'.repeat(24) + 'é'.repeat(100) + 'y'.repeat(length - 224));
    expect(deflateSync(text).length).toBeLessThan(length);
  });

  it('are not compressed again on a connection that compresses already', () => {
    const { wire, of } = transmitter('zlib-stream');
    of.compressPayloads();
    of.send(new Payload('x'.repeat(2_000)));
    expect(read(wire.written[0]!).body.subarray(0, 2)).toEqual(Buffer.from([0x78, 0x9c]));
  });

  it.each([127, 128])('of a stream have pieces of %i bytes in blocks that belong together', (length) => {
    const { wire, of } = transmitter('zlib-stream');
    of.send(new Payload('start '));
    of.send(new GatewayEvent('TYPING_START', new Piece(`"${'x'.repeat(length - 2)}"`)).at(1));
    const { body } = read(wire.written[1]!);
    expect(body.subarray(-4)).toEqual(Buffer.from([0, 0, 0xff, 0xff]));
    const event = JSON.parse(inflateRawSync(body, { finishFlush: 2 }).toString());
    expect(event).toEqual({ t: 'TYPING_START', s: 1, op: 0, d: 'x'.repeat(length - 2) });
    expect(body.includes('xxxxxxxxxx')).toBe(length < 128);
  });

  it.each(['', null, 'zlib-stream', 'zstd-stream'])('compress=%s is offered', (compress) => {
    expect(encodingFor(compress)).not.toBeNull();
  });

  it.each(['zlib', 'brotli', 'ZLIB-STREAM'])('compress=%s is not offered', (compress) => {
    expect(encodingFor(compress)).toBeNull();
  });
});

it('has room below the high-water mark', () => {
  const { wire, of } = transmitter();
  const rooms = [0, SOCKET_HIGH_WATER - 1, SOCKET_HIGH_WATER].map((pending) => {
    wire.pending = pending;
    return of.hasCapacity;
  });
  expect(rooms).toEqual([true, true, false]);
});

it('every encoding has a kind of its own', () => {
  const kinds = ['', 'zlib-stream', 'zstd-stream'].map((name) => encodingFor(name)!.slot);
  expect(new Set([...kinds, zlibPayloads.slot]).size).toBe(4);
});
