import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/harness/sequencer.js';

const TEMPLATE = 'test/harness/template.ts';
const PAGES = 'test/harness/pages.ts';

/** What is tried with uploads in an S3 store, too. */
const WITH_UPLOADS = [
  'cdn/attachments',
  'cdn/icons',
  'cdn/sized-images',
  'domain/channels/delete',
  'domain/messages/edit',
  'domain/messages/files',
  'domain/messages/post',
  'rest-compat/emojis',
  'schema/given-files',
  'schema/uploads',
];

export default defineConfig({
  // Vite would pick the ES module build, beside the CommonJS one that every package loads in Node: two realms of types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    projects: [
      { extends: true, test: { name: 'disk', include: ['test/**/*.test.ts'], globalSetup: [TEMPLATE, PAGES] } },
      {
        extends: true,
        test: {
          name: 's3',
          include: WITH_UPLOADS.map((name) => `test/${name}.test.ts`),
          globalSetup: [TEMPLATE, 'test/harness/blobs-on-s3.ts'],
        },
      },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/harness/skip-reporter.ts'],
    pool: 'forks',
    // A third of what files take is waiting, for processes, windows of time and the database: one more works meanwhile.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Loading the modules anew for each file would take longer than the tests; what they share is code, never a server.
    isolate: false,
  },
});
