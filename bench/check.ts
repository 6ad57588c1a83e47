import type { Row } from './report.js';

/** Units of which less is better. */
const COSTS = ['ms', 'KiB', 'MiB'];

/** Less than this share of the documented ratio is marked. It is low, because a brief round is inaccurate. */
const ALARM = 0.5;

interface Ratios {
  ratio: number | undefined;
  byCpuTime: number | undefined;
}

/**
 * A line for each ratio, which marks those below half of the documented one, or more than twice as high for costs.
 * @param document the text of docs/performance.md
 * @throws if a documented ratio is not a number
 */
export function compareWithDocument(rows: readonly Row[], document: string): string {
  const documented = documentedRatios(document);
  const lines = rows.flatMap((row) => {
    const known = documented.get(row.name);
    if (!known) return [`${row.name}: not in docs/performance.md`];
    return [
      lineOf(row, 'ratio', row.ratio?.median, known.ratio),
      lineOf(row, 'by CPU time', row.cpuRatio?.median, known.byCpuTime),
    ].filter((line) => line !== null);
  });
  return ['Compared with docs/performance.md:', ...lines.map((line) => `  ${line}`)].join('\n');
}

function lineOf({ name, unit }: Row, kind: string, now: number | undefined, then: number | undefined): string | null {
  if (now === undefined || then === undefined) return null;
  const share = COSTS.includes(unit) ? then / now : now / then;
  const mark = share >= ALARM ? '' : ', BELOW HALF';
  return `${name}: ${kind} ${now.toFixed(2)}, documented ${then.toFixed(2)}${mark}`;
}

/** First column of each kind of table, and how its measurements' names begin. */
const TABLES: Readonly<Record<string, string>> = { measurement: '', route: 'large server: ', Load: 'silence: ' };

/** By the name of the measurement. */
function documentedRatios(text: string): ReadonlyMap<string, Ratios> {
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
    const [name] = cells;
    if (name === undefined) prefix = undefined;
    if (name === undefined || prefix === undefined || name.startsWith('---')) continue;
    const at = (column: string) => numberIn(name, cells[columns.findIndex((title) => title.startsWith(column))]);
    ratios.set(prefix + name.replaceAll('`', ''), { ratio: at('ratio'), byCpuTime: at('by CPU time') });
  }
  return ratios;
}

/** @param cell such as `0.60 (0.59–0.65)`, or empty if there is no ratio */
function numberIn(name: string, cell = ''): number | undefined {
  if (cell === '') return undefined;
  const [, number] = /^(\d+(?:\.\d+)?)(?: \([\d.]+–[\d.]+\))?$/.exec(cell) ?? [];
  if (number === undefined) throw new Error(`docs/performance.md: "${cell}" is not a ratio (line "${name}")`);
  return Number(number);
}
