import { readFileSync } from 'node:fs';
import { beforeAll, type RunnerTask } from 'vitest';

/**
 * Tests of concurrency, by title and by the imports of their file. They are never retried: a retry would hide a race.
 */
const CONCURRENT_TITLE =
  /\brac(e|es|ing)\b|\border(s|ed)?\b|\bwhile\b|between|at once|same time|concurrent|killed|lost|lossy|frozen|outage/i;
const CONCURRENT_FILE =
  /harness\/(alternating|box-process|faults|held-callers|interleave|line|lossy\w*|process|redis|twins|two-processes)\.js/;

// In CI, other tests run once more after a failure. They are listed as flaky if they pass then.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this hook uses.
beforeAll(({}, { name, tasks, file }) => {
  if (!process.env.CI) return;
  const isConcurrent = CONCURRENT_FILE.test(readFileSync(file.filepath, 'utf8'));
  for (const task of tasks) setRetries(task, name, isConcurrent);
});

function setRetries(task: RunnerTask, path: string, isConcurrent: boolean): void {
  const fullName = `${path} ${task.name}`;
  if ('tasks' in task) for (const child of task.tasks) setRetries(child, fullName, isConcurrent);
  else task.retry ??= isConcurrent || CONCURRENT_TITLE.test(fullName) ? 0 : 1;
}
