import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InFlightWrites } from '../../../../src/relay/cloud/forwarding/in-flight-writes.js';
import {
  type BoxAnswer,
  BoxError,
  type BoxFault,
  type CallOptions,
} from '../../../../src/relay/cloud/forwarding/transport.js';
import { ManualClock } from '../../../harness/clock.js';

const BUDGET_MS = 12_000;
const ANSWER: BoxAnswer = { status: 200, retryAfter: null, tookMs: null, body: Buffer.from('{}') };

interface Sending extends CallOptions {
  fingerprint: string;
  end(how: 'answer' | BoxFault): Promise<void>;
  isOpen: boolean;
}

/** Lets settled promises run their callbacks. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

function scene() {
  const clock = new ManualClock(0);
  const writes = new InFlightWrites(clock);
  const sent: Sending[] = [];
  const outcomes: string[] = [];
  /** @param shared the key that all processes know; none while they cannot exchange keys */
  const ask = (fingerprint = 'x', shared?: string) => {
    const at = outcomes.push('open') - 1;
    const send = (callOptions: CallOptions) =>
      new Promise<BoxAnswer>((resolve, reject) => {
        const sending: Sending = {
          ...callOptions,
          fingerprint,
          isOpen: true,
          async end(how) {
            sending.isOpen = false;
            if (how === 'answer') resolve(ANSWER);
            else reject(new BoxError(how, how));
            await turn();
          },
        };
        sent.push(sending);
      });
    const key = shared ?? randomUUID();
    const write = { fingerprint, budgetMs: BUDGET_MS, key, isKeyShared: shared !== undefined };
    writes.perform(write, send).then(
      ({ status }) => {
        outcomes[at] = String(status);
      },
      (error: unknown) => {
        outcomes[at] = error instanceof BoxError ? error.fault : 'thrown';
      },
    );
    return turn();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turn();
  };
  const keys = () => sent.map(({ key }) => key);
  return { clock, writes, sent, outcomes, ask, pass, keys };
}

function nth(sent: Sending[], n: number): Sending {
  const sending = sent[n];
  if (!sending) throw new Error(`only ${sent.length} were sent`);
  return sending;
}

describe('a repeated write', () => {
  test('is not sent again while the first one is on its way: both get its answer', async () => {
    const { ask, sent, outcomes, writes } = scene();
    await ask();
    await ask();
    expect(sent).toHaveLength(1);
    await nth(sent, 0).end('answer');
    expect([outcomes, writes.size]).toEqual([['200', '200'], 0]);
  });

  test('runs a second time after the first one was answered', async () => {
    const { ask, sent, keys } = scene();
    await ask();
    await nth(sent, 0).end('answer');
    await ask();
    expect(new Set(keys()).size).toBe(2);
  });

  test.each<[BoxFault, 1 | 2]>([
    ['timeout', 1],
    ['undecodable', 1],
    ['tooLong', 2],
    ['offline', 2],
    ['crowded', 2],
  ])('after %s has %i key(s): only an unsent write is known not to have run', async (fault, count) => {
    const { ask, sent, keys } = scene();
    await ask();
    await nth(sent, 0).end(fault);
    await ask();
    expect([sent.length, new Set(keys()).size]).toEqual([2, count]);
  });

  test('has its key for 30 s after a timeout, however often it is sent in that time', async () => {
    const { ask, sent, keys, pass, writes } = scene();
    await ask();
    await nth(sent, 0).end('timeout');
    await pass(20_000);
    await ask();
    await nth(sent, 1).end('timeout');
    await pass(9_999);
    await ask();
    await nth(sent, 2).end('offline');
    expect([new Set(keys()).size, writes.size]).toEqual([1, 1]);
    await pass(1);
    expect(writes.size).toBe(0);
    await ask();
    expect(new Set(keys()).size).toBe(2);
  });

  test('is sent again with its remaining time if it arrives while the first is on its way and that times out', async () => {
    const { ask, sent, outcomes, pass, keys } = scene();
    await ask();
    await pass(7_000);
    await ask();
    await pass(5_000);
    await nth(sent, 0).end('timeout');
    expect(outcomes).toEqual(['timeout', 'open']);
    expect([nth(sent, 1).budgetMs, new Set(keys()).size]).toEqual([7_000, 1]);
    await nth(sent, 1).end('answer');
    expect(outcomes).toEqual(['timeout', '200']);
  });

  test('stays unknown to the waiting caller if it cannot be sent again', async () => {
    const { ask, sent, outcomes } = scene();
    await ask();
    await ask();
    await ask();
    await nth(sent, 0).end('timeout');
    await nth(sent, 1).end('offline');
    expect([outcomes, sent.length]).toEqual([['timeout', 'timeout', 'timeout'], 2]);
  });

  test('gets the answer that came too late for the first', async () => {
    const { ask, sent, outcomes, pass } = scene();
    await ask();
    await pass(5_000);
    await ask();
    await pass(7_500);
    expect(outcomes).toEqual(['timeout', 'open']);
    await nth(sent, 0).end('answer');
    expect([outcomes, sent.length]).toEqual([['timeout', '200'], 1]);
  });

  test('is given up half a second after its time limit, whatever delays it', async () => {
    const { ask, outcomes, pass } = scene();
    await ask();
    await pass(12_499);
    expect(outcomes).toEqual(['open']);
    await pass(1);
    expect(outcomes).toEqual(['timeout']);
  });
});

describe('a write whose key all processes know', () => {
  test('has that key, also after it was answered here', async () => {
    const { ask, sent, keys } = scene();
    await ask('x', 'k');
    await nth(sent, 0).end('answer');
    await ask('x', 'k');
    expect(keys()).toEqual(['k', 'k']);
  });

  test('has another key if another process answered it since', async () => {
    const { ask, sent, keys } = scene();
    await ask('x', 'k');
    await nth(sent, 0).end('timeout');
    await ask('x', 'l');
    expect(keys()).toEqual(['k', 'l']);
  });

  test.each<[string, string | undefined, string | undefined]>([
    ['go away', 'k', undefined],
    ['come back', undefined, 'l'],
  ])('keeps the key that it was sent with when the other processes %s', async (_what, before, after) => {
    const { ask, sent, keys } = scene();
    await ask('x', before);
    await nth(sent, 0).end('timeout');
    await ask('x', after);
    expect(new Set(keys()).size).toBe(1);
  });
});

describe('the store of keys', () => {
  test('has a limit: the oldest unused key is dropped', async () => {
    const writes = new InFlightWrites(new ManualClock(0), 10);
    const failing = () => Promise.reject(new BoxError('timeout', 'timeout'));
    for (let n = 0; n < 15; n += 1) {
      const write = { fingerprint: String(n), budgetMs: BUDGET_MS, key: randomUUID() };
      await writes.perform(write, failing).catch(() => {});
    }
    expect(writes.size).toBe(10);
  });
});

type Step =
  | { kind: 'ask'; fingerprint: string }
  | { kind: 'end'; nth: number; how: 'answer' | BoxFault }
  | { kind: 'pass'; ms: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), fingerprint: fc.constantFrom('x', 'y') }),
    fc.record({
      kind: fc.constant('end' as const),
      nth: fc.nat(5),
      how: fc.constantFrom('answer' as const, 'timeout' as const, 'offline' as const, 'undecodable' as const),
    }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 4_000, 12_000, 30_000) }),
  ),
  { maxLength: 40 },
);

test('in any sequence, each write has one key at a time and none after its answer, and nothing is kept at the end', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { ask, sent, pass, writes } = scene();
      const answered = new Set<string>();
      const check = () => {
        for (const fingerprint of ['x', 'y']) {
          const open = sent.filter((one) => one.isOpen && one.fingerprint === fingerprint);
          expect(open.length).toBeLessThanOrEqual(1);
        }
      };
      for (const step of all) {
        const before = sent.length;
        if (step.kind === 'ask') await ask(step.fingerprint);
        else if (step.kind === 'pass') await pass(step.ms);
        else {
          const open = sent.filter(({ isOpen }) => isOpen);
          const one = open[step.nth % Math.max(open.length, 1)];
          if (one && step.how === 'answer') answered.add(one.key);
          await one?.end(step.how);
        }
        for (const { key } of sent.slice(before)) expect(answered).not.toContain(key);
        check();
      }
      for (let open = sent.find(({ isOpen }) => isOpen); open; open = sent.find(({ isOpen }) => isOpen)) {
        await open.end('answer');
      }
      await pass(60_000);
      expect(writes.size).toBe(0);
    }),
    { numRuns: 200 },
  );
});
