import type { MeasuredServer } from './processes.js';

/** The lowest, middle and highest of several figures. */
export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Comparison {
  subject: Spread;
  baseline: Spread;
  /** Of each round's subject to the same round's baseline. */
  ratio: Spread;
  /** The same by processor time: what the baseline's server takes for an operation, to what the subject's takes. */
  cpuRatio?: Spread;
}

/** What came of one round. */
export interface Round {
  /** How many operations were done; the processor time is divided by it. */
  operations: number;
  /** Figures of which higher is better, the same ones in each round. */
  rates: number[];
}

/** One side of a comparison: a server, and what is done to it in each round. */
export interface Contestant {
  server: Pick<MeasuredServer, 'cpuSeconds'>;
  round(): Promise<Round>;
}

interface MeasuredRound extends Round {
  cpuPerOperation: number;
}

/**
 * Measures subject and baseline in turn, so that whatever else the machine does meets both. One round of each before the
 * first counts for nothing: it warms them up.
 * @returns a comparison for each figure
 */
export async function compare(subject: Contestant, baseline: Contestant, rounds: number): Promise<Comparison[]> {
  const { rates: figures } = await subject.round();
  await baseline.round();
  const pairs: [MeasuredRound, MeasuredRound][] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await measured(subject), await measured(baseline)]);
  const cpuRatio = spread(pairs.map(([ours, theirs]) => theirs.cpuPerOperation / ours.cpuPerOperation));
  return figures.map((_, figure) => {
    const rates = pairs.map(([ours, theirs]) => [ours.rates[figure] ?? Number.NaN, theirs.rates[figure] ?? Number.NaN]);
    return {
      subject: spread(rates.map(([ours = Number.NaN]) => ours)),
      baseline: spread(rates.map(([, theirs = Number.NaN]) => theirs)),
      ratio: spread(rates.map(([ours = Number.NaN, theirs = Number.NaN]) => ours / theirs)),
      cpuRatio,
    };
  });
}

async function measured({ server, round }: Contestant): Promise<MeasuredRound> {
  const before = await server.cpuSeconds();
  const result = await round();
  return { ...result, cpuPerOperation: ((await server.cpuSeconds()) - before) / result.operations };
}

/** @param share of the values that are no more than it, such as 0.95 */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    min: at(0),
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    max: at(sorted.length - 1),
  };
}
