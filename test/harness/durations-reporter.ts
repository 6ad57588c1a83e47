import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { DURATIONS } from './sequencer.js';

/** Writes how long each file took, in milliseconds, for the sequencer of later runs. */
export default class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const entries = modules
      .filter((module) => module.project.name === 'disk')
      .map((module) => [module.relativeModuleId, Math.round(module.diagnostic().duration)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}
