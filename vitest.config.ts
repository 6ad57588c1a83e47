import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/harness/sequencer.js';

export default defineConfig({
  // Vite would pick the ES module build, beside the CommonJS one that every package loads in Node: two realms of types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/template.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './test/harness/skip-reporter.ts'],
    pool: 'forks',
    // A third of what files take is waiting, for processes, windows of time and the database: one more works meanwhile.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Loading the modules anew for each file would take longer than the tests; what they share is code, never a server.
    isolate: false,
  },
});
