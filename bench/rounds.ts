import type { MeasuredServer } from './processes.js';

/** `--check` measures briefly, and compares with the documented ratios. */
export const IS_CHECK = process.argv.includes('--check');

export const ROUNDS = IS_CHECK ? 1 : 4;
export const SECONDS_PER_ROUND = IS_CHECK ? 1 : 2;

/** The minimum, median and maximum of several figures. */
export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Comparison {
  subject: Spread;
  baseline: Spread;
  /** Each round's subject divided by the same round's baseline. */
  ratio: Spread;
  /** The same for processor time per operation: the baseline's divided by the subject's. */
  cpuRatio?: Spread;
}

export interface Round {
  /** The number of operations, for the processor time per operation. */
  operations: number;
  /** Figures of which higher is better, the same ones in each round. */
  rates: number[];
}

/** One side of a comparison: a server, and its work in each round. */
export interface Contestant {
  server: Pick<MeasuredServer, 'cpuSeconds'>;
  round(): Promise<Round>;
}

interface MeasuredRound extends Round {
  cpuPerOperation: number;
}

/**
 * Measures subject and baseline alternately, so that other load of the machine affects both. A first round of each
 * warms up.
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

/** @param share of the values that are at most the result, such as 0.95 */
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
