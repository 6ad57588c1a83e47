import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { closes } from '../../../src/relay/protocol/closes.js';
import { BODIES_WAIT_BYTES, TOO_SLOW_BYTES } from '../../../src/relay/protocol/link.js';
import { MAX_TEXT_BYTES } from '../../../src/relay/protocol/messages.js';
import { boxEnd, carryAll, cloudEnd } from '../../harness/link-ends.js';

const LIMITS = { streamCredit: 65_536, boxCredit: 262_144 };

function text(op: string, more: object = {}): string {
  return JSON.stringify({ op, ...more });
}

function piece(id: number, length: number): Buffer {
  const message = Buffer.alloc(4 + length, 7);
  message.writeUInt32BE(id);
  return message;
}

function textOf(length: number): string {
  const bare = text('ping', { t: 1, more: '' }).length;
  return text('ping', { t: 1, more: 'x'.repeat(length - bare) });
}

async function* source(length: number, chunk = 100_000, fill = 1): AsyncGenerator<Buffer> {
  for (let left = length; left > 0; left -= chunk) yield Buffer.alloc(Math.min(left, chunk), fill);
}

function cloud() {
  const end = cloudEnd();
  end.link.allow(LIMITS);
  return end;
}

function pair(limits = LIMITS) {
  const ends = { cloud: cloudEnd(), box: boxEnd() };
  ends.cloud.link.allow(limits);
  ends.box.link.allow(limits);
  return ends;
}

const response = (id: number, body: number) => ({ op: 'response', id, status: 200, headers: {}, body }) as const;

describe('R-2 messages', () => {
  it.each([
    ['no JSON', 'nonsense'],
    ['an empty text', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"ping"'],
    ['an object without an op', '{"t":1}'],
    ['an op that is no text', '{"op":1}'],
    ['an op in an object above', '{"a":{"op":"ping","t":1}}'],
    ['two objects', '{"op":"ping","t":1}{"op":"ping","t":1}'],
    ['a byte order mark', '\ufeff{"op":"ping","t":1}'],
    ['text that is no UTF-8', Buffer.from([...Buffer.from('{"op":"ping","t":1,"x":"'), 0xff, 0x22, 0x7d])],
    ['a byte more than 1 MiB', textOf(MAX_TEXT_BYTES + 1)],
    ['more than 10,000 values', text('ping', { t: 1, more: Array.from({ length: 10_000 }, () => 0) })],
    [
      'more than 10,000 keys with an op that is not known',
      text('x', Object.fromEntries(Array(10_001).fill(0).entries())),
    ],
  ])('%s closes 4002', (_, message) => {
    const { link, wire } = cloud();
    link.text(message);
    expect(wire.closedWith?.code).toBe(4002);
    expect(link.isOpen).toBe(false);
  });

  it('a text message may have 1 MiB', () => {
    const { link, wire } = cloud();
    link.text(textOf(MAX_TEXT_BYTES));
    expect(wire.messages).toEqual([{ op: 'pong', t: 1 }]);
  });

  it('a message may have 10,000 values', () => {
    const { link, wire } = cloud();
    link.text(text('ping', { t: 1, more: Array.from({ length: 9_900 }, () => 0) }));
    expect(wire.messages).toEqual([{ op: 'pong', t: 1 }]);
  });

  it('a message of more than 1 MiB is not sent, and the link stays open', () => {
    const { link, wire } = cloud();
    const send = (length: number) =>
      link.send({ op: 'call', id: 1, name: 'x'.repeat(length), input: {}, budget_ms: 1, key: 'k' });
    expect(() => send(MAX_TEXT_BYTES)).toThrow(RangeError);
    expect(wire.sent).toEqual([]);
    send(MAX_TEXT_BYTES - 200);
    expect(wire.messages).toHaveLength(1);
  });

  it.each([0, 3, 4, 4 + 65_537])('a binary message of %i bytes closes 4002', (length) => {
    const { link, wire } = cloud();
    link.text(text('response', response(1, 70_000)));
    link.bytes(Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.alloc(65_537)]).subarray(0, length));
    expect(wire.closedWith?.code).toBe(4002);
  });

  it.each([1, 65_536])('a piece may have %i bytes', async (length) => {
    const { link, wire, bodies } = cloud();
    link.text(text('response', response(1, length)));
    link.bytes(piece(1, length));
    expect((await buffer(bodies.get(1)!)).equals(Buffer.alloc(length, 7))).toBe(true);
    expect(wire.closedWith).toBeNull();
  });

  it('a piece begins with the number of its stream, unsigned and big-endian', async () => {
    const { link, wire } = cloud();
    await link.sendBody(0xfedc_ba98, source(2, 2, 9));
    expect(wire.sent).toEqual([Buffer.from([0xfe, 0xdc, 0xba, 0x98, 9, 9])]);
  });

  it.each([
    ['on a stream that was not announced', 2, 1],
    ['beyond what was announced', 1, 11],
  ])('a piece %s closes 4002', (_, id, length) => {
    const { link, wire } = cloud();
    link.text(text('response', response(1, 10)));
    link.bytes(piece(id, length));
    expect(wire.closedWith?.code).toBe(4002);
  });

  it('a piece after the whole body closes 4002', () => {
    const { link, wire } = cloud();
    link.text(text('response', response(1, 10)));
    link.bytes(piece(1, 10));
    expect(wire.closedWith).toBeNull();
    link.bytes(piece(1, 1));
    expect(wire.closedWith?.code).toBe(4002);
  });

  it('a body on a stream that is in use closes 4002', async () => {
    const { link, wire, bodies } = cloud();
    link.text(text('response', response(1, 10)));
    const first = bodies.get(1)!;
    link.text(text('response', response(1, 10)));
    expect(wire.closedWith?.code).toBe(4002);
    for (const body of [first, bodies.get(1)!]) await expect(buffer(body)).rejects.toThrow('in use');
  });

  it('messages after a close have no effect', () => {
    const { link, wire, received } = cloud();
    link.end(closes.deleted);
    link.text(text('ping', { t: 1 }));
    link.text(text('resume', { session: 's' }));
    link.text('nonsense');
    link.bytes(piece(1, 1));
    link.send({ op: 'ack', s: 1 });
    expect(wire.sent).toEqual([]);
    expect(received).toEqual([]);
    expect(wire.closedWith).toEqual(closes.deleted);
  });
});

describe('R-3 unknown parts', () => {
  it('unknown fields are ignored', () => {
    const { link, received } = cloud();
    link.text(text('resume', { session: 's', more: { deep: [1] } }));
    expect(received).toEqual([{ op: 'resume', session: 's' }]);
  });

  it.each(['invented', '', 'request', '__proto__', 'constructor', 'PING'])('the op %j is answered unknown', (op) => {
    const { link, wire, received } = cloud();
    link.text(text(op));
    expect(wire.messages).toEqual([{ op: 'unknown', was: op }]);
    expect(received).toEqual([]);
    expect(link.isOpen).toBe(true);
  });

  it('of a long op the first 200 characters are repeated, which the other end accepts', () => {
    const { cloud, box } = pair();
    cloud.link.text(text('x'.repeat(1_000)));
    expect(cloud.wire.messages).toEqual([{ op: 'unknown', was: 'x'.repeat(200) }]);
    box.link.text(String(cloud.wire.sent[0]));
    expect(box.link.isOpen).toBe(true);
  });

  it('an unknown message is never answered', () => {
    const { link, wire, received } = cloud();
    link.text(text('unknown', { was: 'invented' }));
    link.text(text('unknown'));
    expect([wire.sent, wire.closedWith, received]).toEqual([[], null, []]);
  });

  it.each([
    ['ping without t', text('ping')],
    ['ping with a text', text('ping', { t: '1' })],
    ['credit for a negative number', text('credit', { id: 1, bytes: -1 })],
    ['credit for half a byte', text('credit', { id: 1, bytes: 0.5 })],
    ['credit without a stream', text('credit', { bytes: 1 })],
    ['resume without its session', text('resume')],
    ['a response on stream 0', text('response', response(0, 0))],
    ['a response with a status that is text', text('response', { ...response(1, 0), status: '200' })],
    ['a key of 31 bytes', text('hello', { versions: [1], key: Buffer.alloc(31).toString('base64url') })],
    ['a nested id that is a number', text('withdraw', { s: 1, guild_id: 1 })],
  ])('%s closes 4002', (_, message) => {
    const { link, wire, received } = cloud();
    link.text(message);
    expect(wire.closedWith?.code).toBe(4002);
    expect(received).toEqual([]);
  });

  it('the reason names the field and not its value', () => {
    const { link, wire } = cloud();
    link.text(text('hello', { versions: [1], key: 'A'.repeat(43), token: ['secret'] }));
    expect(wire.closedWith?.reason).toContain('hello token');
    expect(wire.closedWith?.reason).not.toContain('secret');
  });
});

describe('R-4 heartbeat', () => {
  it('a ping is answered with its number', () => {
    const { link, wire, received } = cloud();
    link.text(text('ping', { t: -1.5 }));
    expect(wire.messages).toEqual([{ op: 'pong', t: -1.5 }]);
    expect(received).toEqual([]);
  });

  it('after 15 s without data a ping is sent, and after 15 s more the connection is cut', () => {
    const { link, wire, clock, closes } = cloud();
    clock.advance(14_999);
    expect(wire.sent).toEqual([]);
    clock.advance(1);
    expect(wire.messages).toEqual([{ op: 'ping', t: clock.now() }]);
    clock.advance(14_999);
    expect([wire.isCut, link.isOpen]).toEqual([false, true]);
    clock.advance(1);
    expect([wire.isCut, link.isOpen]).toEqual([true, false]);
    expect(wire.closedWith).toBeNull();
    link.closed(1006, '');
    expect(closes).toEqual([{ code: 1006, reason: '' }]);
  });

  it.each([
    ['a message', (end: ReturnType<typeof cloud>) => end.link.text(text('pong', { t: 1 }))],
    ['a part of a message', (end: ReturnType<typeof cloud>) => end.link.heard(1)],
  ])('%s delays the ping and the cut', (_, arrives) => {
    const end = cloud();
    end.clock.advance(10_000);
    arrives(end);
    end.clock.advance(14_999);
    expect(end.wire.sent).toEqual([]);
    end.clock.advance(1);
    expect(end.wire.messages).toHaveLength(1);
    end.clock.advance(14_000);
    arrives(end);
    end.clock.advance(14_999);
    expect(end.wire.messages).toHaveLength(1);
    end.clock.advance(1);
    expect(end.wire.messages).toHaveLength(2);
    expect(end.link.isOpen).toBe(true);
  });

  it('two idle ends keep each other open', async () => {
    const { cloud, box } = pair();
    for (let second = 0; second < 120; second += 1) {
      for (const end of [cloud, box]) end.clock.advance(1_000);
      await carryAll(cloud, box);
    }
    expect([cloud.link.isOpen, box.link.isOpen]).toEqual([true, true]);
  });

  it('a closed link has no heartbeat', () => {
    const { link, wire, clock } = cloud();
    link.closed(1000, '');
    clock.advance(60_000);
    expect([wire.sent, wire.isCut]).toEqual([[], false]);
  });
});

describe('R-22 credit', () => {
  it('no end sends more than the credit of the stream, until there is more', async () => {
    const { link, wire } = cloud();
    const sent = link.sendBody(1, source(65_536 + 3));
    await carried();
    expect(total(wire, 1)).toBe(65_536);
    link.text(text('credit', { id: 1, bytes: 2 }));
    await carried();
    expect(total(wire, 1)).toBe(65_538);
    link.text(text('credit', { id: 2, bytes: 2 }));
    await carried();
    expect(total(wire, 1)).toBe(65_538);
    link.text(text('credit', { id: 1, bytes: 1 }));
    await sent;
    expect(total(wire, 1)).toBe(65_539);
  });

  it('no end sends more than the credit of all streams', async () => {
    const { link, wire } = cloud();
    for (const id of [1, 2, 3, 4, 5]) void link.sendBody(id, source(65_536));
    await carried();
    expect(wire.pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(262_144);
    link.text(text('credit', { id: 0, bytes: 5 }));
    await carried();
    expect(wire.pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(262_149);
  });

  it('streams that have more to send take turns', async () => {
    const { link, wire } = cloudEnd();
    link.allow({ streamCredit: 200_000, boxCredit: 600_000 });
    wire.pending = BODIES_WAIT_BYTES;
    for (const id of [1, 2, 3]) void link.sendBody(id, source(150_000, 150_000));
    await carried();
    expect(wire.sent).toEqual([]);
    wire.pending = 0;
    link.drained();
    await carried();
    expect(wire.pieces.map(({ id }) => id)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  it.each([
    ['the stream', [1, 1]],
    ['all streams', [1, 2, 3, 4, 5]],
  ])('more than the credit of %s closes 4002', (_, ids) => {
    const { link, wire } = cloud();
    for (const id of new Set(ids)) link.text(text('response', response(id, 1_000_000)));
    const last = ids.pop() ?? 0;
    for (const id of ids) link.bytes(piece(id, 65_536));
    expect(wire.closedWith).toBeNull();
    link.bytes(piece(last, 1));
    expect(wire.closedWith?.code).toBe(4002);
    expect(wire.closedWith?.reason).toContain('credit');
  });
});

describe('R-22 returned credit', () => {
  it('comes as bytes are read, before the credit is used up', async () => {
    const { cloud, box } = pair();
    const sent = box.link.sendBody(1, source(1_000_000));
    box.wire.sent.unshift(JSON.stringify(response(1, 1_000_000)));
    await carryAll(cloud, box);
    expect(await Promise.race([sent, 'waits'])).toBe('waits');
    const body = cloud.bodies.get(1)!;
    const read = buffer(body);
    await carryAll(cloud, box);
    await sent;
    expect((await read).equals(Buffer.alloc(1_000_000, 1))).toBe(true);
  });

  it('does not come for an unread body, which stops at its own credit and does not stop others', async () => {
    const { cloud, box } = pair();
    const large = 10 * 1024 * 1024;
    box.link.send(response(1, large));
    const sent = box.link.sendBody(1, source(large));
    await carryAll(cloud, box);
    expect(cloud.bodies.get(1)?.readableFlowing).toBeNull();
    for (let id = 2; id < 40; id += 1) {
      box.link.send(response(id, 100_000));
      const small = box.link.sendBody(id, source(100_000, 30_000, id));
      await carryAll(cloud, box);
      const read = buffer(cloud.bodies.get(id)!);
      await carryAll(cloud, box);
      await small;
      expect((await read).equals(Buffer.alloc(100_000, id))).toBe(true);
    }
    const read = buffer(cloud.bodies.get(1)!);
    await carryAll(cloud, box);
    await sent;
    expect(await read).toHaveLength(large);
  });

  it.each([
    ['is dropped', ({ link }: ReturnType<typeof cloudEnd>) => link.dropBody(1)],
    ['is no longer read', ({ bodies }: ReturnType<typeof cloudEnd>) => void bodies.get(1)?.destroy()],
  ])('comes for a body that %s, whose data is dropped', async (_, leave) => {
    const { cloud, box } = pair();
    box.link.send(response(1, 1_000_000));
    const sent = box.link.sendBody(1, source(1_000_000));
    await carryAll(cloud, box);
    leave(cloud);
    await carryAll(cloud, box);
    await sent;
    expect(cloud.link.isOpen).toBe(true);
    expect(cloud.bodies.get(1)?.readableLength).toBe(0);
  });

  it('comes for all streams if a complete body is dropped unread', () => {
    const { link, wire, bodies } = cloud();
    for (let id = 1; id <= 20; id += 1) {
      link.text(text('response', response(id, 50_000)));
      link.bytes(piece(id, 50_000));
      link.dropBody(id);
      expect(bodies.get(id)?.destroyed).toBe(true);
    }
    expect(wire.closedWith).toBeNull();
    const given = wire.messages.filter(({ op, id }) => op === 'credit' && id === 0);
    expect(given.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(20 * 50_000 - LIMITS.boxCredit);
  });

  it('does not come for a stream whose body is complete', async () => {
    const { link, wire, bodies } = cloud();
    link.text(text('response', response(1, 65_536)));
    link.bytes(piece(1, 65_536));
    await buffer(bodies.get(1)!);
    expect(wire.messages.filter(({ id }) => id === 1)).toEqual([]);
  });

  it('counts many small unread pieces together', () => {
    const { link, bodies } = cloud();
    link.text(text('response', response(1, 60_000)));
    for (let at = 0; at < 60_000; at += 1) link.bytes(piece(1, 1));
    const sizes: number[] = [];
    for (let bytes = bodies.get(1)?.read(); bytes; bytes = bodies.get(1)?.read()) sizes.push(bytes.length);
    expect(sizes.length).toBeLessThan(10);
  });
});

describe('R-22 a truncated body', () => {
  it.each(['cancel', 'cancelled'] as const)(
    'by %s ends for both ends, and its number may be used again',
    async (op) => {
      const ends = pair();
      const [from, to] = op === 'cancel' ? [ends.cloud, ends.box] : [ends.box, ends.cloud];
      const received = to.link.receiveBody(1, 1_000_000);
      const sent = from.link.sendBody(1, source(1_000_000));
      await carryAll(ends.cloud, ends.box);
      if (op === 'cancel') ends.cloud.link.send({ op, id: 1 });
      else ends.box.link.send({ op, id: 1 });
      await expect(sent).rejects.toThrow('stopped');
      await carryAll(ends.cloud, ends.box);
      await expect(buffer(received)).rejects.toThrow('interrupted the body');
      expect(to.received).toEqual([{ op, id: 1 }]);
      const again = to.link.receiveBody(1, 10);
      await from.link.sendBody(1, source(10, 10, 5));
      await carryAll(ends.cloud, ends.box);
      expect(await buffer(again)).toEqual(Buffer.alloc(10, 5));
      expect([from.link.isOpen, to.link.isOpen]).toEqual([true, true]);
    },
  );

  it('can still be read if it came completely', async () => {
    const { link, bodies } = cloud();
    link.text(text('response', response(1, 3)));
    link.bytes(piece(1, 3));
    link.text(text('cancelled', { id: 1 }));
    link.closed(1006, '');
    expect(await buffer(bodies.get(1)!)).toEqual(Buffer.alloc(3, 7));
  });

  it('by its source is not sent to the end', async () => {
    const { link } = cloud();
    async function* failing() {
      yield Buffer.alloc(3);
      throw new Error('the disk is gone');
    }
    await expect(link.sendBody(1, failing())).rejects.toThrow('the disk is gone');
  });

  it.each([
    ['stopped', (end: ReturnType<typeof cloud>) => end.link.stopBody(1)],
    ['broken by the end of the link', (end: ReturnType<typeof cloud>) => end.link.closed(1006, '')],
  ])('that is %s closes its source', async (_, stop) => {
    const end = cloud();
    let isLetGo = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(50_000);
      } finally {
        isLetGo = true;
      }
    }
    const sent = end.link.sendBody(1, endless());
    await carried();
    stop(end);
    await expect(sent).rejects.toThrow();
    await carried();
    expect(isLetGo).toBe(true);
  });

  it('is not sent twice at once, and not over a closed link', async () => {
    const { link } = cloud();
    const first = link.sendBody(1, source(1_000_000));
    await expect(link.sendBody(1, source(1))).rejects.toThrow('already');
    link.end(closes.goingAway);
    await expect(first).rejects.toThrow('4000');
    await expect(link.sendBody(2, source(1))).rejects.toThrow('4000');
    await expect(buffer(link.receiveBody(3, 1))).rejects.toThrow('4000');
  });
});

describe('R-6 a link closes', () => {
  it('with 4003 if more than 16 MiB wait for the other end', () => {
    const { link, wire } = cloud();
    wire.pending = TOO_SLOW_BYTES;
    link.send({ op: 'ack', s: 1 });
    expect(wire.closedWith).toBeNull();
    wire.pending += 1;
    link.text(text('ping', { t: 1 }));
    expect(wire.closedWith).toEqual(closes.tooSlow);
  });

  it('with 4004 for a message that could not be processed, which is logged', () => {
    const end = cloud();
    end.onMessage = () => {
      throw new Error('a fault of our own');
    };
    end.link.text(text('resume', { session: 's' }));
    expect(end.wire.closedWith).toEqual(closes.unavailable);
    expect(end.lines.join()).toContain('a fault of our own');
  });

  it('once, with the code of the end that closed first', () => {
    const [own, other] = [cloud(), cloud()];
    own.link.end(closes.replaced);
    own.link.end(closes.deleted);
    expect(own.closes).toEqual([]);
    for (const { link } of [own, other]) for (const code of [1006, 4000]) link.closed(code, 'over');
    expect(own.closes).toEqual([closes.replaced]);
    expect(other.closes).toEqual([{ code: 1006, reason: 'over' }]);
  });
});

/** Lets messages pass as far as they can. */
async function carried(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function total(wire: { pieces: { id: number; bytes: Buffer }[] }, of: number): number {
  return wire.pieces.reduce((sum, { id, bytes }) => sum + (id === of ? bytes.length : 0), 0);
}

describe('catching up with the other end', () => {
  it('is done once all earlier messages have arrived', async () => {
    const { cloud, box } = pair();
    cloud.link.send({ op: 'cancel', id: 1 });
    const caughtUp = box.link.catchUp().then(() => box.received.map(({ op }) => op));
    await carryAll(cloud, box);
    expect(await caughtUp).toEqual(['cancel']);
  });

  it('fails if the link closes first, and on a closed link', async () => {
    const { box } = pair();
    const first = box.link.catchUp();
    box.link.closed(1006, '');
    await expect(first).rejects.toThrow('closed');
    await expect(box.link.catchUp()).rejects.toThrow('closed');
  });
});
