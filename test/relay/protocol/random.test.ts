import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BoxEnd, boxEnd, type CloudEnd, carryOne, cloudEnd } from '../../harness/link-ends.js';

const op = fc.constantFrom(
  ...['ping', 'pong', 'unknown', 'credit', 'going_away', 'hello', 'proof', 'response', 'cancelled', 'resume', 'begin'],
  ...[
    'announce',
    'withdraw',
    'ready',
    'dispatch',
    'challenge',
    'welcome',
    'request',
    'call',
    'cancel',
    'ack',
    '__proto__',
  ],
);
const field = fc.constantFrom(
  ...[
    't',
    'was',
    'id',
    'bytes',
    'retry_after_ms',
    'versions',
    'key',
    'token',
    'signature',
    'status',
    'headers',
    'body',
  ],
  ...['session', 's', 'guild', 'guild_id', 'd', 'version', 'nonce', 'origin', 'limits', 'events', 'input', '__proto__'],
);
const value = fc.oneof(fc.nat(5), fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(-1, 2 ** 32, 2 ** 53, '1', {}, []));
const text = fc.tuple(op, fc.dictionary(field, value)).map(([name, fields]) => JSON.stringify({ ...fields, op: name }));
const piece = fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 40 })).map(([id, length]) => {
  const message = Buffer.alloc(4 + length);
  message.writeUInt32BE(id);
  return message;
});
const announced = fc
  .record({ id: fc.integer({ min: 1, max: 4 }), body: fc.nat(100) })
  .map((fields) => JSON.stringify({ op: 'response', status: 200, ...fields }));
const frame = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 3, arbitrary: announced },
  { weight: 3, arbitrary: piece },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
);

it('R-2, R-3: a link throws nothing and closes 4002 at most, whatever arrives', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.tuple(fc.boolean(), frame), { maxLength: 30 }), (isCloud, frames) => {
      const { link, wire } = isCloud ? cloudEnd() : boxEnd();
      link.allow({ streamCredit: 64, boxCredit: 150 });
      for (const [isText, message] of frames) {
        if (isText || typeof message === 'string') link.text(message);
        else link.bytes(message);
      }
      expect(wire.isCut).toBe(false);
      expect(wire.closedWith?.code ?? 4002).toBe(4002);
      expect(link.isOpen).toBe(wire.closedWith === null);
    }),
    { numRuns: 1_000 },
  );
});

/** An independent count of the credit of an end. */
class CreditCount {
  readonly #left = new Map<number, number>();

  constructor(private readonly limits: { streamCredit: number; boxCredit: number }) {
    this.#left.set(0, limits.boxCredit);
  }

  begin(id: number): void {
    this.#left.set(id, this.limits.streamCredit);
  }

  sent({ id, bytes }: { id: number; bytes: Buffer }): void {
    for (const of of [0, id]) {
      const left = (this.#left.get(of) ?? 0) - bytes.length;
      if (left < 0) throw new Error(`more than the credit of ${of} was sent on ${id}`);
      this.#left.set(of, left);
    }
  }

  given({ id, bytes }: { id: number; bytes: number }): void {
    this.#left.set(id, (this.#left.get(id) ?? 0) + bytes);
  }
}

/** Checks a message before it arrives. */
function watch(count: CreditCount, { wire }: { wire: CloudEnd['wire'] }, hasCreditOf: CreditCount): void {
  const [message] = wire.sent;
  if (message === undefined) return;
  if (typeof message !== 'string') {
    count.sent({ id: message.readUInt32BE(), bytes: message.subarray(4) });
    return;
  }
  const value = JSON.parse(message);
  if (value.op === 'response') count.begin(value.id);
  if (value.op === 'credit') hasCreditOf.given(value);
}

const bodies = fc.array(
  fc.record({
    length: fc.oneof(fc.nat(3_000), fc.constantFrom(0, 1, 65_536, 65_537, 200_000)),
    chunks: fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 6 }),
    fate: fc.constantFrom('read', 'read', 'read', 'dropped', 'destroyed', 'cancelled'),
  }),
  { minLength: 1, maxLength: 8 },
);
const limits = fc.oneof(
  fc.record({ streamCredit: fc.integer({ min: 1, max: 50 }), boxCredit: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ streamCredit: fc.constant(65_536), boxCredit: fc.constantFrom(65_536, 200_000) }),
);

/** A body in chunks of these sizes, in rotation. */
async function* inChunks(body: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield body.subarray(at, at + size);
    at += size;
    if (turn % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('R-22: bodies in any order, of any sizes and with any credit', () => {
  it('arrive whole and in order, and never take more than the credit', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, limits, fc.nat(), async (wanted, credit, seed) => {
        const turns = chances(seed);
        // Small credit takes many rounds, so the bodies are small.
        const scale = credit.streamCredit < 100 ? 500 : 1;
        const cloud = cloudEnd();
        const box = boxEnd();
        const counts = { box: new CreditCount(credit), cloud: new CreditCount(credit) };
        for (const { link } of [cloud, box]) link.allow(credit);
        const sent = wanted.map(({ length, chunks, fate }, at) => {
          const id = at + 1;
          const body = randomBytes(Math.ceil(length / scale));
          box.link.send({ op: 'response', id, status: 200, headers: {}, body: body.length });
          const done = box.link.sendBody(id, inChunks(body, chunks)).then(
            () => 'sent',
            () => 'stopped',
          );
          return { id, body, fate, done, isDone: false };
        });
        const read = new Map<number, Promise<Buffer | Error>>();
        cloud.onMessage = (message) => {
          if (message.op !== 'response') return;
          const stream = cloud.bodies.get(message.id)!;
          const { fate } = sent[message.id - 1]!;
          if (fate === 'dropped') cloud.link.dropBody(message.id);
          else if (fate === 'destroyed') stream.once('data', () => stream.destroy());
          else
            read.set(
              message.id,
              buffer(stream).catch((error: Error) => error),
            );
        };
        for (const one of sent) void one.done.then(() => Object.assign(one, { isDone: true }));
        await carryUntil({ cloud, box, counts, turns }, () => {
          const late = sent.find(({ fate, isDone }) => fate === 'cancelled' && !isDone);
          if (late && read.has(late.id) && turns()) box.link.send({ op: 'cancelled', id: late.id });
          return sent.every(({ isDone }) => isDone);
        });
        expect([cloud.wire.closedWith, box.wire.closedWith]).toEqual([null, null]);
        for (const { id, body, fate, done } of sent) {
          const outcome = await done;
          if (fate !== 'cancelled') expect(outcome).toBe('sent');
          const arrived = await read.get(id);
          if (Buffer.isBuffer(arrived)) {
            expect(body.equals(arrived)).toBe(true);
          } else if (arrived) {
            expect(outcome).toBe('stopped');
            expect(String(arrived)).toContain('interrupted');
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

function chances(seed: number): () => boolean {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 1;
  };
}

interface Carried {
  cloud: CloudEnd;
  box: BoxEnd;
  counts: { box: CreditCount; cloud: CreditCount };
  turns: () => boolean;
}

/** Carries messages in random directions until `isDone` and nothing is on its way. Fails when nothing moves. */
async function carryUntil({ cloud, box, counts, turns }: Carried, isDone: () => boolean): Promise<void> {
  for (let idle = 0; idle < 50; ) {
    const fromBox = turns();
    if (fromBox) watch(counts.box, box, counts.cloud);
    else watch(counts.cloud, cloud, counts.box);
    const hasMoved = fromBox ? carryOne(box, cloud) : carryOne(cloud, box);
    idle = hasMoved ? 0 : idle + 1;
    if (!hasMoved) await new Promise((resolve) => setImmediate(resolve));
    if (isDone() && cloud.wire.sent.length + box.wire.sent.length === 0 && idle > 5) return;
  }
  throw new Error('nothing moves any more');
}
