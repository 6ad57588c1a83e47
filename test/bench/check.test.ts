import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareWithDocument } from '../../bench/check.js';
import type { Row } from '../../bench/report.js';

const TABLE = `
| measurement | unit | platform | baseline | ratio (lowest–highest) | by CPU time | aim |
| --- | --- | --- | --- | --- | --- | --- |
| send | requests/s | 1,048 | 1,719 | 0.60 (0.59–0.65) | 0.50 (0.44–0.64) | ≥ 0.6 |
| memory | KiB | 18.6 | 3.12 | 6.00 |  | < 40 KiB |

| route | ratio | by CPU time | what grows |
| --- | --- | --- | --- |
| a channel | 0.90 | 0.80 |  |
`;

const spreadOf = (median: number) => ({ min: median, median, max: median });

const rowOf = (name: string, unit: string, ratio: number, cpuRatio?: number): Row => ({
  name,
  unit,
  subject: 1,
  baseline: 1,
  ratio: spreadOf(ratio),
  cpuRatio: cpuRatio === undefined ? undefined : spreadOf(cpuRatio),
  aim: '',
});

const linesFor = (...rows: Row[]) =>
  compareWithDocument(rows, TABLE)
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

describe('the comparison with docs/performance.md', () => {
  it('has a line for each ratio, and marks those below half', () => {
    expect(linesFor(rowOf('send', 'requests/s', 0.29, 0.25))).toEqual([
      'send: ratio 0.29, documented 0.60, BELOW HALF',
      'send: by CPU time 0.25, documented 0.50',
    ]);
  });

  it('marks a cost that is more than twice as high', () => {
    expect(linesFor(rowOf('memory', 'KiB', 12), rowOf('memory', 'KiB', 12.1))).toEqual([
      'memory: ratio 12.00, documented 6.00',
      'memory: ratio 12.10, documented 6.00, BELOW HALF',
    ]);
  });

  it('finds measurements of the other tables by their prefix', () => {
    expect(linesFor(rowOf('large server: a channel', 'requests/s', 0.9, 0.8))).toEqual([
      'large server: a channel: ratio 0.90, documented 0.90',
      'large server: a channel: by CPU time 0.80, documented 0.80',
    ]);
  });

  it('names a measurement that is not documented', () => {
    expect(linesFor(rowOf('receive', 'requests/s', 1))).toEqual(['receive: not in docs/performance.md']);
  });

  it.each(['about 0.6', '0,60', '0.60 (fast)', '-', '1.2.3'])('throws if a documented ratio is "%s"', (cell) => {
    const document = TABLE.replace('0.60 (0.59–0.65)', cell);
    expect(() => compareWithDocument([], document)).toThrow(`"${cell}" is not a ratio (line "send")`);
  });

  it('can read every ratio of the document', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/performance.md'), 'utf8');
    const row = rowOf('send a message, 16 callers', 'requests/s', 0.6, 0.6);
    expect(compareWithDocument([row], document)).toMatch(/^ {2}send a message, 16 callers: ratio 0.60, documented \d/m);
  });
});
