import type { Metrics, RelayOutcome } from '../../infra/metrics.js';
import { type BoxAnswer, BoxError, type BoxFault } from './lines.js';

/** Under which status a fault is shown to whoever asked (service description, section 7). */
const STATUS_OF: Record<BoxFault, RelayOutcome> = {
  offline: '503',
  crowded: '503',
  overfull: '503',
  timeout: '504',
  undecodable: '502',
  tooLong: '413',
};

/**
 * Counts what becomes of a request or a call to a box. It is counted once, where it is asked, whichever process has the box.
 * @param ask asks the box
 * @param use reads the answer, which is counted as 502 where it throws BoxError `undecodable`
 * @throws what `ask` and `use` throw
 */
export async function measured<Used>(
  metrics: Metrics,
  ask: () => Promise<BoxAnswer>,
  use: (answer: BoxAnswer) => Used | Promise<Used>,
): Promise<Used> {
  const began = performance.now();
  try {
    const answer = await ask();
    const ms = performance.now() - began;
    const used = await use(answer);
    metrics.relayRequests.inc({ outcome: 'answered' satisfies RelayOutcome });
    metrics.relaySeconds.observe(ms / 1_000);
    const { tookMs } = answer;
    // It may say anything.
    const isPossible = tookMs !== null && tookMs >= 0 && tookMs <= ms;
    if (isPossible) metrics.relayAddedSeconds.observe((ms - tookMs) / 1_000);
    return used;
  } catch (error) {
    if (error instanceof BoxError) {
      metrics.relayRequests.inc({ outcome: STATUS_OF[error.fault] });
      metrics.relaySeconds.observe((performance.now() - began) / 1_000);
    }
    throw error;
  }
}
