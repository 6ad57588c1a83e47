// Counts the words of comments, documents, test titles and strings, by folder: npm run count-words
import { countWords } from './prose/rules.ts';
import { textsIn, trackedFiles } from './prose/texts.ts';

const KINDS = ['comment', 'string', 'title', 'document'];

const counts = new Map();
for (const file of trackedFiles()) {
  for (const { kind, text } of textsIn(file)) {
    const folder = folderOf(file);
    const row = counts.get(folder) ?? {};
    row[kind] = (row[kind] ?? 0) + countWords(text);
    counts.set(folder, row);
  }
}

const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
print('', KINDS);
for (const [folder, row] of rows)
  print(
    folder,
    KINDS.map((kind) => row[kind] ?? 0),
  );
for (const part of ['src', 'portal', 'docs', 'test'])
  print(
    `${part} in all`,
    KINDS.map((kind) => sum(part, kind)),
  );

function folderOf(file) {
  const steps = file.split('/');
  if (steps.length === 1) return file;
  return steps[0] === 'src' ? steps.slice(0, Math.min(2, steps.length - 1)).join('/') : steps[0];
}

function sum(part, kind) {
  return rows.reduce((total, [folder, row]) => (folder.split('/')[0] === part ? total + (row[kind] ?? 0) : total), 0);
}

function print(name, cells) {
  console.log(name.padEnd(24), ...cells.map((cell) => String(cell).padStart(9)));
}
