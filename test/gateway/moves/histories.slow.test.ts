import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingForSeveralProcesses } from '../../harness/redis.js';
import { needing } from '../../harness/skipping.js';
import { playHistory } from './histories/history.js';
import { type Hosts, openHosts } from './histories/hosts.js';

const missing = await missingForSeveralProcesses();

/** `HISTORIES=100` plays more of them and prints what happened, `HISTORY_FROM=17` begins with another seed. */
const COUNT = Number(process.env.HISTORIES ?? 2);
const FIRST = Number(process.env.HISTORY_FROM ?? 1);
const SEEDS = Array.from({ length: COUNT }, (_, n) => FIRST + n);

describe.skipIf(missing)(needing(missing, 'sessions that move between two processes'), () => {
  let hosts: Hosts;
  beforeAll(async () => {
    hosts = await openHosts();
  });
  afterAll(() => hosts.close());

  it.each(SEEDS)(
    'get every event once and in order, and nothing hidden (seed %i)',
    async (seed) => {
      const { faults, ...rest } = await playHistory(hosts, seed);
      process.stdout.write(`history ${seed}: ${JSON.stringify(rest)}\n`);
      expect(faults).toEqual([]);
    },
    60_000,
  );
});
