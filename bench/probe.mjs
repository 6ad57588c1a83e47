// Loaded into every measured process (`node --import`). It answers its parent's questions, and ends with its parent.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 5 });

const answers = {
  /** Microseconds of processor time so far. */
  cpu: () => process.cpuUsage(),
  /** Bytes, after a garbage collection. */
  async memory() {
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage();
  },
  /** Bytes. */
  residentMemory: () => process.memoryUsage.rss(),
  /** Bytes; the system reports KiB. */
  peakMemory: () => process.resourceUsage().maxRSS * 1024,
  watchLoop() {
    delay.reset();
    delay.enable();
    return true;
  },
  /** Milliseconds. */
  longestBlockMs: () => delay.max / 1_000_000,
};

process.on('message', async (question) => process.send?.(await answers[question]()));
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
