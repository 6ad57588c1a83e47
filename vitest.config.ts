import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import LongestFirst from './test/harness/sequencer.js';
import { includedTests, onS3, tier } from './test/tiers.js';

const TEMPLATE = 'test/harness/template.ts';
const BUILD = 'test/harness/build.ts';

const onDisk: TestProjectConfiguration = {
  extends: true,
  test: { name: 'disk', include: includedTests(), globalSetup: [BUILD, TEMPLATE] },
};
// After the others: a worker serves one project.
const repeatedOnS3: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 's3',
    include: onS3,
    sequence: { groupOrder: 1 },
    globalSetup: [TEMPLATE, 'test/harness/blobs-on-s3.ts'],
  },
};

export default defineConfig({
  // Vite would pick the ES module build, beside the CommonJS one that every package loads in Node: two realms of types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    projects: tier === 'all' ? [onDisk, repeatedOnS3] : [onDisk],
    exclude: tier === 'fast' ? ['**/node_modules/**', '**/*.slow.test.ts'] : ['**/node_modules/**'],
    tags: [{ name: 'slow', skip: tier === 'fast' }],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/harness/retries.ts'],
    reporters: [
      'default',
      './test/harness/skip-reporter.ts',
      './test/harness/flaky-reporter.ts',
      './test/harness/stall-reporter.ts',
    ],
    pool: 'forks',
    // A third of what files take is waiting for processes and the database. One more worker than cores fills that time.
    maxWorkers: availableParallelism() + 1,
    // In random order, a file that relies on what another one left fails.
    sequence: process.env.TEST_ORDER === 'random' ? { shuffle: { files: true } } : { sequencer: LongestFirst },
    // Files of a worker share the modules and the fixtures of test/harness/fixtures.ts.
    isolate: false,
    // A single file does not transform the whole server again.
    experimental: { fsModuleCache: true },
  },
});
