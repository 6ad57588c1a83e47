import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Longer than the longest time limit of a test, in milliseconds. */
const SILENCE_MS = 360_000;

/**
 * Ends a run without progress for longer than any test may take, and names the running tests. Vitest's own time limits
 * do not cover the import of a file. It reports the tests of a file only once all of them have ended.
 */
export default class StallReporter implements Reporter {
  /** By the path of a file, the name of its test that runs. */
  readonly #underWay = new Map<string, string | null>();
  #vitest: Vitest | undefined;
  #timer: NodeJS.Timeout | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(): void {
    this.#timer = setTimeout(() => this.#end(), SILENCE_MS);
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  onTestModuleQueued(module: TestModule): void {
    this.#note(module, null);
  }

  onTestCaseReady(test: TestCase): void {
    this.#note(test.module, test.fullName);
  }

  onTestCaseResult(test: TestCase): void {
    this.#note(test.module, null);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#timer?.refresh();
    this.#underWay.delete(module.relativeModuleId);
  }

  #note({ relativeModuleId }: TestModule, test: string | null): void {
    this.#timer?.refresh();
    this.#underWay.set(relativeModuleId, test);
  }

  #end(): void {
    const logger = this.#vitest?.logger;
    logger?.error(`\n     STALLED  Nothing has begun or ended for ${SILENCE_MS / 1_000} s. Under way:`);
    for (const [path, test] of this.#underWay) {
      logger?.error(`     ${path} ${test === null ? '(its import, a hook or a fixture)' : `> ${test}`}`);
    }
    process.exit(1);
  }
}
