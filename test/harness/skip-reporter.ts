import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { tier } from '../tiers.js';
import { missingIn } from './skipping.js';

const leftOut = (tags: string[]) =>
  tier === 'fast' && tags.includes('slow') ? 'slow; `npm run test:all` runs them too' : null;

/** Ends a report with the reasons of all skipped tests, which no other reporter shows for passed files. */
export default class SkipReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const { fullName, tags } of module.children.allTests('skipped')) {
        const reason = missingIn(fullName) ?? leftOut(tags) ?? this.#withoutReason(fullName);
        if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of counts) this.#vitest?.logger.log(`     Skipped  ${count}: ${reason}`);
  }

  /** A run of tests by name skips the others. */
  #withoutReason(fullName: string): string | null {
    return this.#vitest?.config.testNamePattern ? null : `no reason is given for ${fullName}`;
  }
}
