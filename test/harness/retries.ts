import { beforeAll, type RunnerTask } from 'vitest';

/** A failure of these is a fault of the platform or of the test, even if it passes the second time. */
const NEVER_RETRIED = /\brac(e|es|ing)\b|\border|at once|at the same time|concurrent|killed|lost|lossy|frozen|outage/i;

// In CI a failed test runs once more. It is listed as flaky if it passes then.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this hook uses.
beforeAll(({}, { name, tasks }) => {
  if (process.env.CI) for (const task of tasks) setRetries(task, name);
});

function setRetries(task: RunnerTask, path: string): void {
  const fullName = `${path} ${task.name}`;
  if ('tasks' in task) for (const child of task.tasks) setRetries(child, fullName);
  else task.retry ??= NEVER_RETRIED.test(fullName) ? 0 : 1;
}
