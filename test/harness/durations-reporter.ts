import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { DURATIONS } from './sequencer.js';

/**
 * Writes the duration of each file, in milliseconds, for the sequencer. Files that did not run keep their old value.
 */
export default class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const known = Object.entries(JSON.parse(readFileSync(DURATIONS, 'utf8'))).filter(([file]) => existsSync(file));
    const measured = modules
      .filter((module) => module.project.name === 'disk')
      .map((module) => [module.relativeModuleId, Math.round(module.diagnostic().duration)] as const);
    const entries = [...new Map([...known, ...measured])].sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}
