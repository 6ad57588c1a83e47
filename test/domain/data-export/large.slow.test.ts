import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { createGuild, signUp } from '../../harness/people.js';

const MESSAGES = 20_000;

const MIB = 2 ** 20;

// Writes 20 MB, which barely shrink, and downloads them.
it('writes a large archive while it is downloaded, in little memory', { timeout: 180_000 }, async ({ server }) => {
  const { db, nextId } = server.app;
  const max = await signUp(server, 'max');
  const guild = await createGuild(max);
  const of = { channelId: BigInt(guild.textChannelId), authorId: BigInt(max.id) };
  const empty = { embeds: [], components: [], mentionUserIds: [], mentionRoleIds: [] };
  for (let n = 0; n < MESSAGES; n += 1_000) {
    const data = Array.from({ length: 1_000 }, () => {
      return { id: nextId(), ...of, content: randomBytes(750).toString('base64'), ...empty };
    });
    await db.writer.message.createMany({ data });
  }
  const { createDataExport } = await max.graphql(
    'mutation ($password: String!) { createDataExport(input: { password: $password }) { url messages } }',
    { password: max.password },
  );
  expect(createDataExport.messages).toBe(MESSAGES);
  const used = liveMemory();
  const start = performance.now();
  const samples: number[] = [];
  let bytes = 0;
  const response = await fetch(createDataExport.url);
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes / (2 * MIB) > samples.length) samples.push(used());
  }
  const seconds = (performance.now() - start) / 1_000;
  // Garbage of the preparation may go during the download, so each sample counts from the lowest before it.
  const most = Math.max(...samples.map((sample, n) => sample - Math.min(...samples.slice(0, n + 1)))) / MIB;
  const measured = `${(bytes / MIB).toFixed(1)} MiB in ${seconds.toFixed(1)} s, ${most.toFixed(1)} MiB more memory`;
  expect(bytes, measured).toBeGreaterThan(10 * MIB);
  expect(seconds, measured).toBeLessThan(60);
  // The whole text has 19 MiB.
  expect(most, measured).toBeLessThan(8);
});

/** Bytes that a garbage collection leaves. */
function liveMemory(): () => number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  return () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}
