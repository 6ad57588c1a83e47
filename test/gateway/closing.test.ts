import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PrivilegedIntent } from '../../src/domain/applications/index.js';
import { DomainError } from '../../src/domain/errors.js';
import { bareToken } from '../../src/gateway/bare-token.js';
import { Closing, closeFor } from '../../src/gateway/closing.js';
import { type ClientConnection, Connections } from '../../src/gateway/connections.js';
import { controls } from '../../src/gateway/control.js';
import { GatewayEvent, Piece } from '../../src/gateway/events.js';
import { areIntents, asksTooMuch } from '../../src/gateway/intents.js';
import { clientCloseKeepsSession, closes, DRAIN_MS, isClientOpcode, PARTING_MS } from '../../src/gateway/protocol.js';
import { ReplayBuffer } from '../../src/gateway/replay-buffer.js';
import { ManualClock } from '../harness/clock.js';
import { ALL_INTENTS } from '../harness/gateway-client.js';
import { readableLog, readLines } from '../harness/log.js';

describe('an error that closes a connection', () => {
  const { log, lines } = readableLog();

  it.each([
    [new Closing(closes.invalidShard), closes.invalidShard],
    [new DomainError('OVERLOADED', 'busy'), closes.unavailable],
  ])('has its own close code and is not logged: %s', (thrown, close) => {
    expect(closeFor(thrown, log, 'it failed')).toBe(close);
    expect(lines).toEqual([]);
  });

  it.each([new Error('broken'), new DomainError('FORBIDDEN', 'no'), 'text'])(
    'is an internal error unless it says otherwise, and is logged: %s',
    (thrown) => {
      lines.length = 0;
      expect(closeFor(thrown, log, 'it failed')).toBe(closes.fault);
      expect(readLines(lines)).toMatchObject([{ level: 50, msg: 'it failed' }]);
    },
  );

  it('has the reason of its close code', () => {
    expect(new Closing(closes.rateLimited)).toMatchObject({ name: 'Closing', message: 'Rate limited.' });
  });

  it.each([
    [1000, false],
    [1001, false],
    [1002, true],
    [1005, true],
    [1006, true],
    [4000, true],
  ])('a client that closes with %i may resume its session: %s', (code, keeps) => {
    expect(clientCloseKeepsSession(code)).toBe(keeps);
  });

  it('every close code and its follow-up match the table in docs/gateway.md', () => {
    const table = Object.fromEntries(Object.entries(closes).map(([name, { code, client }]) => [name, [code, client]]));
    expect(table).toEqual({
      fault: [4000, 'resume'],
      unknownOpcode: [4001, 'resume'],
      undecodable: [4002, 'resume'],
      encoding: [4002, 'resume'],
      compression: [4002, 'resume'],
      notIdentified: [4003, 'identify'],
      movedAway: [4003, 'identify'],
      authenticationFailed: [4004, 'stop'],
      alreadyIdentified: [4005, 'identify'],
      invalidSequence: [4007, 'identify'],
      rateLimited: [4008, 'identify'],
      silent: [4009, 'resume'],
      invalidShard: [4010, 'stop'],
      shardingRequired: [4011, 'stop'],
      invalidVersion: [4012, 'stop'],
      invalidIntents: [4013, 'stop'],
      disallowedIntents: [4014, 'stop'],
      stopping: [4900, 'resume'],
      unavailable: [4902, 'resume'],
      notReading: [4901, 'resume'],
    });
  });
});

describe('intents', () => {
  const bits = Object.values(Intent).filter((bit) => typeof bit === 'number');
  const PRIVILEGED: Record<PrivilegedIntent, number> = {
    GUILD_MEMBERS: Intent.GuildMembers,
    PRESENCES: Intent.GuildPresences,
    MESSAGE_CONTENT: Intent.MessageContent,
  };
  const sum = (some: number[]) => some.reduce((all, bit) => all | bit, 0);

  it('may be any defined bits and no others', () => {
    fc.assert(fc.property(fc.subarray(bits), (some) => areIntents(sum(some))));
    for (let shift = 0; shift < 31; shift += 1) {
      expect([shift, areIntents(1 << shift)]).toEqual([shift, bits.includes(1 << shift)]);
    }
    for (const value of [-1, 0.5, ALL_INTENTS + 1, 2 ** 32, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect([value, areIntents(value)]).toEqual([value, false]);
    }
  });

  it('are refused if one of them is switched off for the application', () => {
    const names = Object.keys(PRIVILEGED) as PrivilegedIntent[];
    fc.assert(
      fc.property(fc.subarray(bits), fc.subarray(names), (some, on) => {
        const off = names.some((name) => some.includes(PRIVILEGED[name]) && !on.includes(name));
        expect(asksTooMuch(sum(some), on)).toBe(off);
      }),
    );
  });
});

it('the opcodes of a client are those that clients may send', () => {
  const sent = Array.from({ length: 64 }, (_, op) => op).filter(isClientOpcode);
  expect(sent).toEqual([1, 2, 3, 4, 6, 8, 31, 43]);
});

it.each([
  ['Bot a.b.c', 'a.b.c'],
  ['a.b.c', 'a.b.c'],
  ['bot a.b.c', 'bot a.b.c'],
  ['Bot ', ''],
])('the token %j is %j', (sent, bare) => {
  expect(bareToken(sent)).toBe(bare);
});

it('payloads outside the sequence have every field', () => {
  const shown = Object.values(controls).map(({ head }) => JSON.parse(head));
  const none = { t: null, s: null };
  expect(shown).toEqual([
    { ...none, op: 10, d: { heartbeat_interval: 41_250, _trace: ['["causeway"]'] } },
    { ...none, op: 11, d: null },
    { ...none, op: 7, d: null },
    { ...none, op: 9, d: false },
  ]);
});

describe('the replay buffer', () => {
  it('keeps events by number until they are released', () => {
    const event = (size: number) => new GatewayEvent('X', new Piece('x'.repeat(size)));
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ push: fc.integer({ min: 1, max: 40 }) }) },
      { weight: 1, arbitrary: fc.record({ drop: fc.integer({ min: -3, max: 60 }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const buffer = new ReplayBuffer();
        const all: GatewayEvent[] = [];
        let oldest = 1;
        for (const one of steps) {
          if ('push' in one) {
            for (let count = 0; count < 60; count += 1) {
              all.push(event(one.push));
              buffer.push(all.at(-1)!);
            }
          } else {
            const last = Math.min(oldest + one.drop * 20, all.length);
            buffer.dropThrough(oldest + one.drop * 20);
            oldest = Math.max(oldest, last + 1);
          }
          const kept = all.slice(oldest - 1);
          expect([buffer.oldest, buffer.length]).toEqual([oldest, kept.length]);
          expect(buffer.bytes).toBe(kept.reduce((sum, { size }) => sum + size, 0));
          for (const at of [oldest - 1, oldest, all.length, all.length + 1]) {
            expect(buffer.at(at)).toBe(at < oldest ? undefined : all[at - 1]);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a gateway that stops', () => {
  function client(of: Connections) {
    const told: unknown[] = [];
    const connection: ClientConnection = {
      hasSession: false,
      send: (payload) => told.push(JSON.parse(payload.head).op),
      close: ({ code }) => told.push(code),
      cutOff: () => told.push('cut off'),
    };
    of.add(connection);
    return { told, leave: () => of.remove(connection) };
  }
  const settled = () => new Promise(setImmediate);

  it('sends op 7 to its clients, closes those that stay, and cuts off those that do not answer', async () => {
    const clock = new ManualClock();
    const connections = new Connections(clock);
    const [polite, late, deaf] = [client(connections), client(connections), client(connections)];
    const drained = connections.drain();
    await settled();
    polite.leave();
    clock.advance(DRAIN_MS - 1);
    await settled();
    expect([polite.told, late.told, deaf.told]).toEqual([[7], [7], [7]]);
    clock.advance(1);
    await settled();
    late.leave();
    clock.advance(PARTING_MS - 1);
    await settled();
    expect([polite.told, late.told, deaf.told]).toEqual([[7], [7, 4900], [7, 4900]]);
    clock.advance(1);
    await drained;
    expect(deaf.told).toEqual([7, 4900, 'cut off']);
    expect([polite.told, late.told]).toEqual([[7], [7, 4900]]);
  });

  it('stops waiting once its clients are gone', async () => {
    const connections = new Connections(new ManualClock());
    await connections.drain();
    const [one, two] = [client(connections), client(connections)];
    let isOver = false;
    const drained = connections.drain().then(() => {
      isOver = true;
    });
    one.leave();
    await settled();
    expect(isOver).toBe(false);
    two.leave();
    await drained;
    expect([one.told, two.told]).toEqual([[7], [7]]);
  });
});
