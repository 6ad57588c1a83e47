import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayEvent, type Payload, Piece } from '../../src/gateway/events.js';
import {
  BACKLOG_LIMIT,
  type Close,
  closes,
  MAX_WAITING_REQUESTS,
  RESUME_WINDOW_MS,
} from '../../src/gateway/protocol.js';
import { Session, type SessionLink, type SessionTerms } from '../../src/gateway/session.js';
import { ManualClock } from '../harness/clock.js';

const KIB = 1024;

let clock: ManualClock;
let ended: number;
let session: Session;

const user = {
  id: 5n,
  username: 'bot',
  handle: null,
  globalName: null,
  avatarHash: null,
  bot: true,
  deletedAt: null,
};

function newSession(terms: Partial<SessionTerms> = {}): Session {
  return new Session(
    clock,
    {
      id: 'x',
      bot: {
        actor: { kind: 'bot', user, applicationId: user.id, messageContentIntent: true },
        privilegedIntents: ['GUILD_MEMBERS', 'PRESENCES', 'MESSAGE_CONTENT'],
        tokenHash: '',
      },
      version: 10,
      intents: 0,
      shard: null,
      largeThreshold: 50,
      presence: null,
      ...terms,
    },
    () => {
      ended += 1;
    },
  );
}

beforeEach(() => {
  clock = new ManualClock();
  ended = 0;
  session = newSession();
});

/** A connection that records what it was sent, and leaves its session as real connections do. */
class Link implements SessionLink {
  readonly openedAt = performance.now();
  hasCapacity = true;
  readonly sent: { s: number; t: string }[] = [];
  readonly closes: Close[] = [];

  constructor(private readonly of: Session) {}

  send({ head, pieces }: Payload): void {
    this.sent.push(JSON.parse(Buffer.concat([Buffer.from(head), ...pieces.map(({ bytes }) => bytes)]).toString()));
  }

  close(close: Close): void {
    this.closes.push(close);
    if (this.of.detach(this) && close.client !== 'resume') this.of.end();
  }

  get numbers(): number[] {
    return this.sent.map(({ s }) => s);
  }
}

function attached(to = session): Link {
  const link = new Link(to);
  to.attach(link);
  return link;
}

const event = (size = 100) => new GatewayEvent('TYPING_START', new Piece(`"${'x'.repeat(size - 3)}"`));
const resumed = () => new GatewayEvent('RESUMED', new Piece('{}'));

const dispatch = (count: number, size?: number) => {
  for (let n = 0; n < count; n += 1) session.dispatch(event(size));
};
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe('dispatching', () => {
  it('sends at once while there is room, and sends waiting events in order when there is room again', () => {
    const link = attached();
    dispatch(2);
    expect(link.numbers).toEqual([1, 2]);
    link.hasCapacity = false;
    dispatch(2);
    link.hasCapacity = true;
    dispatch(1);
    expect(link.numbers).toEqual([1, 2]);
    session.pump();
    expect(link.numbers).toEqual(upTo(5));
    dispatch(1);
    expect(link.numbers).toEqual(upTo(6));
  });

  it('stops at the end of the room', () => {
    const link = attached();
    link.hasCapacity = false;
    dispatch(5);
    let room = 2;
    Object.defineProperty(link, 'hasCapacity', { get: () => room > 0 && room-- > 0 });
    session.pump();
    expect(link.numbers).toEqual([1, 2]);
  });

  it('stops when the session has ended', () => {
    const link = attached();
    session.end();
    dispatch(1);
    expect([link.sent, session.sequence]).toEqual([[], 0]);
  });
});

describe('a client that does not read', () => {
  it.each([
    ['events', BACKLOG_LIMIT.events, 100],
    ['bytes', BACKLOG_LIMIT.bytes / KIB, KIB],
  ])('may fall behind by its limit of %s, once it was up to date', (_what, count, size) => {
    const link = attached();
    for (const round of [1, 2]) {
      link.hasCapacity = false;
      dispatch(count, size);
      expect([round, link.closes]).toEqual([round, []]);
      link.hasCapacity = true;
      session.pump();
    }
    link.hasCapacity = false;
    dispatch(count + 1, size);
    expect(link.closes).toEqual([closes.notReading]);
    expect([session.ended, session.connected]).toEqual([false, false]);
  });

  it('may fall behind by the whole buffer while it catches up, and loses its session beyond that', () => {
    const link = new Link(session);
    link.hasCapacity = false;
    dispatch(1);
    session.attach(link);
    dispatch(4_095);
    expect([link.closes, session.ended]).toEqual([[], false]);
    dispatch(1);
    expect([link.closes, session.ended, session.endedBy]).toEqual([[closes.notReading], true, closes.notReading]);
  });

  it('catches up after a RESUME as after an IDENTIFY', () => {
    attached().hasCapacity = false;
    dispatch(2_000);
    const link = new Link(session);
    link.hasCapacity = false;
    expect(session.resume(link, 0, resumed())).toBe('resumed');
    dispatch(100);
    expect(link.closes).toEqual([]);
  });

  it('counts repeated events: beyond half of the backlog there is no room for more', async () => {
    const link = attached();
    dispatch(BACKLOG_LIMIT.bytes / KIB / 2, KIB);
    await session.room();
    const again = new Link(session);
    again.hasCapacity = false;
    session.resume(again, 0, resumed());
    let hasCapacity = false;
    const waiting = session.room().then(() => {
      hasCapacity = true;
    });
    await Promise.resolve();
    expect([hasCapacity, link.closes]).toEqual([false, [closes.movedAway]]);
    again.hasCapacity = true;
    session.pump();
    await waiting;
  });
});

describe('room for more events', () => {
  const half = BACKLOG_LIMIT.bytes / KIB / 2;
  const isOpen = async () => {
    let open = false;
    void session.room().then(() => {
      open = true;
    });
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return open;
  };

  it('exists below half of the backlog', async () => {
    const link = attached();
    link.hasCapacity = false;
    dispatch(half - 1, KIB);
    expect(await isOpen()).toBe(true);
    dispatch(1, KIB);
    expect(await isOpen()).toBe(false);
  });

  it('is announced to all that wait, also when the session ends', async () => {
    const link = attached();
    link.hasCapacity = false;
    dispatch(half, KIB);
    const waiting = [session.room(), session.room()];
    link.hasCapacity = true;
    session.pump();
    await Promise.all(waiting);
    link.hasCapacity = false;
    dispatch(half, KIB);
    const last = session.room();
    session.end();
    await last;
  });

  it('is used by one busy sender after the other', async () => {
    const link = attached();
    link.hasCapacity = false;
    const done: number[] = [];
    const fill = (number: number) =>
      session.whenRoom(() => {
        done.push(number);
        dispatch(half, KIB);
      });
    const [first, second] = [fill(1), fill(2)];
    await first;
    await new Promise(setImmediate);
    expect(done).toEqual([1]);
    link.hasCapacity = true;
    session.pump();
    await second;
    expect(done).toEqual([1, 2]);
  });
});

describe('the buffer for a RESUME', () => {
  const isKept = (sequence: number) => {
    const link = new Link(session);
    const outcome = session.resume(link, sequence, resumed());
    if (outcome === 'resumed') expect(link.numbers).toEqual(upTo(session.sequence, sequence + 1));
    return outcome;
  };

  it.each([
    ['4,096 events', 4_096, 100],
    ['4 MiB', 2_048, 2 * KIB],
  ])('has the last %s', (_what, count, size) => {
    attached();
    dispatch(1_500 + count, size);
    // RESUMED is one of them.
    expect(isKept(1_499)).toBe('lost');
    expect(isKept(1_500)).toBe('resumed');
  });

  it.each([-1, 4])('has nothing after a number that was not sent: after %i', (sequence) => {
    attached();
    dispatch(3);
    expect(isKept(sequence)).toBe('ahead');
    expect(isKept(3)).toBe('resumed');
  });

  it('has everything from the beginning', () => {
    attached();
    dispatch(3);
    expect(isKept(0)).toBe('resumed');
  });

  it('drops acknowledged events and those before them at the next acknowledgement', () => {
    attached();
    dispatch(5);
    session.acknowledge(3);
    session.acknowledge(2);
    session.acknowledge(3);
    expect(isKept(2)).toBe('lost');
    expect(isKept(3)).toBe('resumed');
  });

  it('keeps the last acknowledged event', () => {
    attached();
    dispatch(5);
    session.acknowledge(2);
    session.acknowledge(4);
    expect(isKept(1)).toBe('lost');
    expect(isKept(2)).toBe('resumed');
  });

  it('keeps unsent events, whatever is acknowledged', () => {
    const link = attached();
    dispatch(1);
    link.hasCapacity = false;
    dispatch(3);
    for (let beat = 0; beat < 3; beat += 1) session.acknowledge(2);
    expect(isKept(0)).toBe('resumed');
  });

  it('keeps events that a RESUME repeats until they are acknowledged again', () => {
    attached();
    dispatch(5);
    session.acknowledge(4);
    expect(isKept(1)).toBe('resumed');
    session.acknowledge(1);
    expect(isKept(1)).toBe('resumed');
    session.acknowledge(2);
    session.acknowledge(2);
    expect(isKept(1)).toBe('lost');
  });

  it('is empty once the session has ended', () => {
    attached();
    dispatch(3);
    session.end();
    expect(isKept(3)).toBe('lost');
  });
});

describe('the connection', () => {
  it('is followed by another one, from which it is distinguished', () => {
    const first = attached();
    const second = new Link(session);
    expect(session.resume(second, 0, resumed())).toBe('resumed');
    expect(first.closes).toEqual([closes.movedAway]);
    expect([session.detach(first), session.connected, session.ended]).toEqual([false, true, false]);
    dispatch(1);
    expect([first.numbers, second.numbers]).toEqual([[], [1, 2]]);
  });

  it('may be missing for the time of a RESUME, counted from its end', () => {
    const link = attached();
    expect(session.detach(link)).toBe(true);
    clock.advance(RESUME_WINDOW_MS - 1);
    attached();
    clock.advance(RESUME_WINDOW_MS);
    expect([session.ended, session.connected]).toEqual([false, true]);
    session.disconnect(closes.fault);
    clock.advance(RESUME_WINDOW_MS - 1);
    expect([session.ended, ended]).toEqual([false, 0]);
    clock.advance(1);
    expect([session.ended, ended]).toEqual([true, 1]);
  });

  it('is closed with the close code of the session, or left open if that has none', () => {
    const link = attached();
    session.end(closes.authenticationFailed);
    session.end(closes.fault);
    expect([link.closes, session.endedBy, ended]).toEqual([
      [closes.authenticationFailed],
      closes.authenticationFailed,
      1,
    ]);
    session = newSession();
    const other = attached();
    session.end();
    expect([other.closes, session.endedBy, session.connected]).toEqual([[], undefined, false]);
    session.disconnect(closes.fault);
    expect(other.closes).toEqual([]);
  });
});

describe('tasks of a session', () => {
  it('run one after the other, and not once it has ended', async () => {
    const done: string[] = [];
    let finish = () => {};
    session.inTurn(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      done.push('first');
    });
    session.inTurn(async () => {
      done.push('second');
      session.end();
    });
    session.inTurn(async () => void done.push('third'));
    await Promise.resolve();
    expect(done).toEqual([]);
    finish();
    await new Promise(setImmediate);
    expect(done).toEqual(['first', 'second']);
  });

  it('of one queue run next to those of another', async () => {
    const done: string[] = [];
    session.inTurn(() => new Promise(() => {}), 'frozen');
    session.inTurn(async () => void done.push('behind it'), 'frozen');
    session.inTurn(async () => void done.push('beside it'));
    await new Promise(setImmediate);
    expect(done).toEqual(['beside it']);
  });

  it('wait up to a limit, which counts those that have not begun', async () => {
    const add = () => session.inTurn(() => new Promise(() => {}));
    expect(add()).toBe(true);
    await Promise.resolve();
    for (let waiting = 0; waiting < MAX_WAITING_REQUESTS; waiting += 1) expect(add()).toBe(true);
    expect(add()).toBe(false);
  });
});

it.each([
  [null, 3n << 22n, true],
  [{ id: 1, count: 2 }, 3n << 22n, true],
  [{ id: 0, count: 2 }, 3n << 22n, false],
  [{ id: 0, count: 2 }, 0n, true],
  [{ id: 1, count: 2 }, (1n << 22n) - 1n, false],
])('a session of shard %j owns guild %s: %s', (shard, guildId, isOwn) => {
  expect(newSession({ shard }).isResponsibleFor(guildId)).toBe(isOwn);
});

it('a session wants the events of any of its intents', () => {
  const wanting = newSession({ intents: 0b0110 });
  expect([0b0010, 0b1100, 0b1001, 0].map((intent) => wanting.wants(intent))).toEqual([true, true, false, false]);
});

type Step = 'dispatch' | 'room' | 'no room' | 'heartbeat' | 'lose the connection' | 'resume';
const steps = fc.constantFrom<Step[]>(
  'dispatch',
  'dispatch',
  'room',
  'no room',
  'heartbeat',
  'lose the connection',
  'resume',
);

it('a client gets every event once and in order, however it reads, disconnects and reconnects', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60 }), (all) => {
      session = newSession();
      let link = attached();
      const seen: number[] = [];
      const read = () => seen.push(...link.sent.splice(0).map(({ s }) => s));
      for (const step of all) {
        if (step === 'dispatch') dispatch(1);
        if (step === 'no room') link.hasCapacity = false;
        if (step === 'room') {
          link.hasCapacity = true;
          session.pump();
        }
        read();
        if (step === 'heartbeat') session.acknowledge(seen.at(-1) ?? 0);
        if (step === 'lose the connection') session.detach(link);
        if (step === 'resume') {
          link = new Link(session);
          expect(session.resume(link, seen.at(-1) ?? 0, resumed())).toBe('resumed');
        }
      }
      link = new Link(session);
      session.resume(link, seen.at(-1) ?? 0, resumed());
      read();
      expect(seen).toEqual(upTo(session.sequence));
    }),
  );
});
