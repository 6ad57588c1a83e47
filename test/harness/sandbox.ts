import { inject } from 'vitest';
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start.js';
import { Instance } from '../../src/testing/index.js';
import { test as base } from './fixtures.js';

/** Starts a sandbox in this process. It uses SQLite, whatever the suite runs on. */
export function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> {
  const template = inject('template');
  return startSandbox({
    port: 0,
    ...('file' in template ? { database: template.file } : {}),
    env: { LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent' },
    ...options,
  });
}

/** `test` with a sandbox of the worker, in which each file makes its own worlds. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one uses.
  .extend('running', { scope: 'worker' }, async ({}, { onCleanup }): Promise<RunningSandbox> => {
    const running = await startTestSandbox();
    onCleanup(() => running.stop());
    return running;
  })
  .extend('instance', { scope: 'file' }, ({ running }) => new Instance(running));
