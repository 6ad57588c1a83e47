import type { BoxMeasures } from '../../../domain/boxes/index.js';
import type { Metrics, RelayOutcome } from '../../../infra/observability/metrics.js';
import { type BoxAnswer, BoxError, type BoxFault } from './transport.js';

/** See the service description, section 7. */
const STATUS_OF: Record<BoxFault, RelayOutcome> = {
  offline: '503',
  crowded: '503',
  overfull: '503',
  timeout: '504',
  undecodable: '502',
  tooLong: '413',
};

export interface MeasureParts {
  metrics: Metrics;
  boxMeasures: BoxMeasures;
}

/**
 * Counts once, in the process where the request begins.
 * @param use its BoxError `undecodable` counts as 502
 * @throws errors of `ask` and `use`
 */
export async function measured<Used>(
  { metrics, boxMeasures }: MeasureParts,
  boxId: bigint,
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
    const addedMs = addedTo(answer, ms);
    if (addedMs !== null) metrics.relayAddedSeconds.observe(addedMs / 1_000);
    boxMeasures.note(boxId, 'answered', addedMs);
    return used;
  } catch (error) {
    if (error instanceof BoxError) {
      const outcome = STATUS_OF[error.fault];
      metrics.relayRequests.inc({ outcome });
      metrics.relaySeconds.observe((performance.now() - began) / 1_000);
      boxMeasures.note(boxId, outcome, null);
    }
    throw error;
  }
}

/** Time outside the box. Null if the box reports none, or an impossible one. */
function addedTo({ tookMs }: BoxAnswer, ms: number): number | null {
  const isPossible = tookMs !== null && tookMs >= 0 && tookMs <= ms;
  return isPossible ? ms - tookMs : null;
}
