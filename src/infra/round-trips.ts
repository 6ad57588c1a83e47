export interface RoundTrips {
  /** Median. */
  latencyMs: number;
  /** Time of the server minus time of this process, of the same sample. */
  clockOffsetMs: number;
}

const SAMPLES = 5;

/** @param askTime returns the time of the server, in milliseconds since the Unix epoch */
export async function measureRoundTrips(askTime: () => Promise<number>): Promise<RoundTrips> {
  const samples: RoundTrips[] = [];
  while (samples.length < SAMPLES) {
    const startedAt = performance.now();
    const at = await askTime();
    const latencyMs = performance.now() - startedAt;
    samples.push({ latencyMs, clockOffsetMs: at - (Date.now() - latencyMs / 2) });
  }
  samples.sort((one, other) => one.latencyMs - other.latencyMs);
  return samples[Math.floor(SAMPLES / 2)] ?? { latencyMs: 0, clockOffsetMs: 0 };
}
