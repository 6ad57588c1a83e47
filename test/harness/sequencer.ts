import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../..');

/** Test files with their durations in milliseconds, as `npm run test:durations` measured them. */
export const DURATIONS = resolve(ROOT, 'test/durations.json');

/**
 * Begins with the longest files, so that no worker is busy alone at the end. A file without a measurement comes first.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'));
    const durationOf = ({ moduleId }: TestSpecification) =>
      durations[relative(ROOT, moduleId)] ?? Number.POSITIVE_INFINITY;
    const measured = new Map(files.map((file) => [file, durationOf(file)]));
    return [...files].sort((a, b) => {
      const [left = 0, right = 0] = [measured.get(a), measured.get(b)];
      return left === right ? 0 : right - left;
    });
  }
}
