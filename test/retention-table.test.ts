import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FILE_KINDS } from '../src/domain/abandoned-files.js';
import { Prisma } from '../src/infra/database/index.js';
import { SETTING_GROUPS } from '../src/settings.js';

/** The table of docs/operations.md, as cells. */
const rows = (/## Retention\n(.*?)\n#/s.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Data '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

const namesIn = (column: number) => new Set(rows.flatMap((cells) => cells[column]?.match(/(?<=`)[^`, ]+(?=`)/g) ?? []));

test('the table of retention names every table and folder that exists, and no other', () => {
  const folders = FILE_KINDS.map(({ folder }) => `blobs/${folder}`);
  const stored = [...Object.values(Prisma.ModelName), ...folders, 'blobs', 'outbox'];
  expect([...namesIn(2)].toSorted()).toEqual(stored.toSorted());
});

test('the table of retention says of everything who removes it and when', () => {
  for (const cells of rows) expect(cells.slice(1, 5)).not.toContain('');
});

test('the table of retention names every setting of retention', () => {
  const settings = SETTING_GROUPS.find(({ title }) => title === 'Retention')?.settings ?? {};
  const named = new Set([...namesIn(5)].filter((name) => /^[A-Z]/.test(name)));
  expect([...named].toSorted()).toEqual(Object.keys(settings).toSorted());
});
