import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/infra/clock.js';
import { SharedKeys } from '../../../../src/infra/crypto/shared-keys.js';
import { createBus } from '../../../../src/infra/processes/bus.js';
import { connectRedis, type RedisLink } from '../../../../src/infra/processes/redis.js';
import { MAX_KEPT_BYTES, ResponseQuota } from '../../../../src/relay/cloud/connections/response-quota.js';
import { CrossProcessClient } from '../../../../src/relay/cloud/cross-process/client.js';
import type { CrossProcessMessage } from '../../../../src/relay/cloud/cross-process/messages.js';
import { CrossProcessServer } from '../../../../src/relay/cloud/cross-process/server.js';
import { IdempotencyKeys } from '../../../../src/relay/cloud/forwarding/idempotency-keys.js';
import { InFlightWrites } from '../../../../src/relay/cloud/forwarding/in-flight-writes.js';
import {
  type BoxAnswer,
  BoxError,
  type BoxFault,
  type BoxTransport,
  type CallOptions,
} from '../../../../src/relay/cloud/forwarding/transport.js';
import { layRedisLine, missingRedis, REDIS_URL } from '../../../harness/redis.js';
import { needing } from '../../../harness/skipping.js';

const missing = await missingRedis();
const silent = pino({ level: 'silent' });
const BUDGET_MS = 12_000;
const ANSWER: BoxAnswer = { status: 200, retryAfter: null, tookMs: null, body: Buffer.from('{}') };

/**
 * Lets one process send a write.
 * @returns the key and time with which it was sent, whatever the outcome
 */
async function send(by: IdempotencyKeys, fingerprint: string, outcome: 'answer' | BoxFault): Promise<CallOptions> {
  const sent: CallOptions[] = [];
  const asked = by.perform(fingerprint, BUDGET_MS, async (callOptions) => {
    sent.push(callOptions);
    if (outcome === 'answer') return ANSWER;
    throw new BoxError(outcome, outcome);
  });
  if (outcome === 'answer') expect(await asked).toBe(ANSWER);
  else await expect(asked).rejects.toMatchObject({ fault: outcome });
  const [errand] = sent;
  if (!errand) throw new Error('nothing was sent');
  return errand;
}

describe.skipIf(missing)(
  needing(missing, 'R-25 the idempotency key of a write that several processes get at the same time'),
  () => {
    const links: RedisLink[] = [];
    let one: IdempotencyKeys;
    let other: IdempotencyKeys;
    beforeAll(async () => {
      for (let n = 0; n < 2; n += 1) links.push(await connectRedis(REDIS_URL, systemClock, silent));
      [one, other] = links.map((link) => new IdempotencyKeys(new SharedKeys(link))) as [
        IdempotencyKeys,
        IdempotencyKeys,
      ];
    });
    afterAll(() => {
      for (const link of links) link.close();
    });

    it.each<[BoxFault, 'the same' | 'another']>([
      ['timeout', 'the same'],
      ['undecodable', 'the same'],
      ['overfull', 'the same'],
      ['offline', 'another'],
      ['crowded', 'another'],
      ['tooLong', 'another'],
    ])('after %s, the key of the other process is %s', async (fault, expected) => {
      const fingerprint = randomUUID();
      const first = await send(one, fingerprint, fault);
      const again = await send(other, fingerprint, 'answer');
      expect(again.key === first.key ? 'the same' : 'another').toBe(expected);
    });

    it('is the same while the write is on its way, and one of many at once is first', async () => {
      const fingerprint = randomUUID();
      const all = Array.from({ length: 20 }, (_, n) => send(n % 2 ? one : other, fingerprint, 'timeout'));
      expect(new Set((await Promise.all(all)).map(({ key }) => key)).size).toBe(1);
    });

    it('is another once one of the processes has the answer', async () => {
      const fingerprint = randomUUID();
      const unsure = await send(one, fingerprint, 'timeout');
      const answered = await send(other, fingerprint, 'answer');
      expect((await send(one, fingerprint, 'answer')).key).not.toBe(answered.key);
      expect(answered.key).toBe(unsure.key);
    });

    it('stays if a repetition was not sent', async () => {
      const fingerprint = randomUUID();
      const unsure = await send(one, fingerprint, 'timeout');
      expect((await send(other, fingerprint, 'offline')).key).toBe(unsure.key);
      expect((await send(other, fingerprint, 'answer')).key).toBe(unsure.key);
    });

    it('is valid for the budget and 30 s', async () => {
      const fingerprint = randomUUID();
      await send(one, fingerprint, 'timeout');
      const leftMs = Number(await links[0]?.commands.pttl(`causeway:key:${fingerprint}`));
      expect(leftMs).toBeGreaterThan(30_000);
      expect(leftMs).toBeLessThanOrEqual(BUDGET_MS + 500 + 30_000);
    });

    it('is not shared while Redis is away, and is dropped after it for writes that were answered in that time', async () => {
      const line = await layRedisLine();
      const link = await connectRedis(line.url, systemClock, silent);
      try {
        const cutOff = new IdempotencyKeys(new SharedKeys(link));
        const fingerprint = randomUUID();
        const answered = await new Promise<string>((resolve, reject) => {
          const perform = cutOff.perform(fingerprint, BUDGET_MS, async ({ key }) => {
            line.cut();
            await expect.poll(() => link.answers()).toBe(false);
            resolve(key);
            return ANSWER;
          });
          perform.catch(reject);
        });
        expect((await send(cutOff, fingerprint, 'timeout')).isKeyShared).toBeUndefined();
        line.mend();
        await expect.poll(() => link.answers(), { timeout: 10_000 }).toBe(true);
        expect((await send(cutOff, fingerprint, 'answer')).key).not.toBe(answered);
      } finally {
        link.close();
        line.close();
      }
    });

    it('R-24 is the same after an answer that exceeded the quota of the requesting process', async () => {
      const keys: string[] = [];
      const inFlight = new InFlightWrites(systemClock);
      const large = { ...ANSWER, body: Buffer.alloc(100_000, ' ') };
      const transport: BoxTransport = {
        boxId: 7n,
        request: (_request, errand) =>
          inFlight.perform({ ...errand, fingerprint: String(errand.fingerprint) }, async ({ key }) => {
            keys.push(key);
            return large;
          }),
        call: () => Promise.reject(new Error('nothing is called')),
      };
      const bus = createBus<CrossProcessMessage>(null, silent);
      const crossProcessServer = new CrossProcessServer({
        bus,
        clock: systemClock,
        log: silent,
        transportTo: () => transport,
      });
      await crossProcessServer.listen('there');
      const quota = new ResponseQuota();
      const far = new CrossProcessClient(bus, systemClock, quota).transportTo(7n, 'there');
      const request = {
        method: 'POST',
        path: '/channels/1/messages',
        query: {},
        headers: {},
        body: { size: 0, async *read() {} },
        bot: { user: { id: '1', username: 'bot' }, application_id: '1', message_content: true },
        guildId: 5n,
      };
      const fingerprint = randomUUID();
      const ask = () => one.perform(fingerprint, BUDGET_MS, (errand) => far.request(request, errand));
      const release = quota.take(MAX_KEPT_BYTES.process);
      await expect(ask()).rejects.toMatchObject({ fault: 'overfull' });
      release?.();
      expect((await ask()).body.length).toBe(large.body.length);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    });
  },
);

describe('a process alone', () => {
  it('R-25 makes a new key each time: the box recognizes repetitions', async () => {
    const alone = new IdempotencyKeys(null);
    const first = await send(alone, 'x', 'timeout');
    const again = await send(alone, 'x', 'timeout');
    expect(again.key).not.toBe(first.key);
    expect(again).toMatchObject({ fingerprint: 'x', budgetMs: BUDGET_MS });
  });
});
