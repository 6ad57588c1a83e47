import { cpus, totalmem } from 'node:os';
import { type Comparison, type Spread, spread } from './rounds.js';

export interface Row {
  name: string;
  /** Of both figures, such as `requests/s`. */
  unit: string;
  subject: number;
  baseline: number;
  /** Null if the baseline is zero. */
  ratio: Spread | null;
  cpuRatio?: Spread | undefined;
  /** Such as `≥ 0.6`, or empty. */
  aim: string;
}

/** A line for a comparison, with the median figures of both sides. */
export function rowOf(name: string, unit: string, aim: string, comparison: Comparison): Row {
  const { subject, baseline, ratio, cpuRatio } = comparison;
  return { name, unit, subject: subject.median, baseline: baseline.median, ratio, cpuRatio, aim };
}

/** A line for pairs of figures, the subject's before the baseline's. The baseline's may be zero. */
export function rowOfPairs(name: string, unit: string, aim: string, pairs: readonly [number, number][]): Row {
  return {
    name,
    unit,
    subject: spread(pairs.map(([subject]) => subject)).median,
    baseline: spread(pairs.map(([, baseline]) => baseline)).median,
    ratio: pairs.some(([, baseline]) => baseline === 0)
      ? null
      : spread(pairs.map(([subject, baseline]) => subject / baseline)),
    aim,
  };
}

const HEADINGS = ['measurement', 'unit', 'platform', 'baseline', 'ratio (lowest–highest)', 'by CPU time', 'aim'];

/** The rows as an aligned Markdown table. */
export function renderTable(rows: Row[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(HEADINGS), rule, ...cells.slice(1).map(line)].join('\n');
}

function cellsOf({ name, unit, subject, baseline, ratio, cpuRatio, aim }: Row): string[] {
  return [name, unit, figure(subject), figure(baseline), spreadText(ratio), spreadText(cpuRatio), aim];
}

function spreadText(ratio: Spread | null | undefined): string {
  if (!ratio) return '';
  const { min, median, max } = ratio;
  const range = min === max ? '' : ` (${min.toFixed(2)}–${max.toFixed(2)})`;
  return `${median.toFixed(2)}${range}`;
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

export function describeMachine(): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${gibibytes} GiB, Node ${process.versions.node}, ${process.platform}`;
}
