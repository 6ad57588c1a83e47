import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './report.js';

const DOCUMENT = join(import.meta.dirname, '../docs/performance.md');

/** Units of which less is better. */
const COSTS = ['ms', 'KiB', 'MiB'];

/** At most this share of the documented ratio is reported. It is low, because a brief round is inaccurate. */
const ALARM = 0.5;

interface Ratios {
  ratio: number | undefined;
  byCpuTime: number | undefined;
}

/** A line for each ratio that is below half of the documented one, or twice as high for costs. */
export function compareWithDocument(rows: readonly Row[]): string {
  const documented = documentedRatios(readFileSync(DOCUMENT, 'utf8'));
  const lines = rows.flatMap((row) => {
    const known = documented.get(row.name);
    if (!known) return [`${row.name}: not in docs/performance.md`];
    return [
      lineOf(row, 'ratio', row.ratio?.median, known.ratio),
      lineOf(row, 'by CPU time', row.cpuRatio?.median, known.byCpuTime),
    ].filter((line) => line !== null);
  });
  if (lines.length === 0) return `All ${rows.length} measurements are at least half of what docs/performance.md says.`;
  return ['Below half of what docs/performance.md says:', ...lines.map((line) => `  ${line}`)].join('\n');
}

function lineOf({ name, unit }: Row, kind: string, now: number | undefined, then: number | undefined): string | null {
  if (now === undefined || then === undefined) return null;
  const share = COSTS.includes(unit) ? then / now : now / then;
  return share >= ALARM ? null : `${name}: ${kind} ${now.toFixed(2)}, documented ${then.toFixed(2)}`;
}

/** First column of each kind of table, and how its measurements' names begin. */
const TABLES: Readonly<Record<string, string>> = { measurement: '', route: 'large server: ', Load: 'silence: ' };

/** By the name of the measurement. */
export function documentedRatios(text: string): ReadonlyMap<string, Ratios> {
  const ratios = new Map<string, Ratios>();
  let columns: string[] = [];
  let prefix: string | undefined;
  for (const line of text.split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim())
      : [];
    if (cells[0] !== undefined && cells[0] in TABLES) {
      columns = cells;
      prefix = TABLES[cells[0]];
      continue;
    }
    const numberIn = (column: (name: string) => boolean) => {
      const number = Number.parseFloat(cells[columns.findIndex(column)] ?? '');
      return Number.isNaN(number) ? undefined : number;
    };
    const [name] = cells;
    if (name === undefined) prefix = undefined;
    if (name === undefined || prefix === undefined || name.startsWith('---')) continue;
    ratios.set(prefix + name.replaceAll('`', ''), {
      ratio: numberIn((column) => column.startsWith('ratio')),
      byCpuTime: numberIn((column) => column === 'by CPU time'),
    });
  }
  return ratios;
}
