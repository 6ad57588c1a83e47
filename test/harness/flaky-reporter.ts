import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Lists the tests that failed once and passed when they were retried. */
export default class FlakyReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky),
    );
    if (flaky.length === 0) return;
    this.#vitest?.logger.log(`\n     FLAKY  ${flaky.length} passed only when they were retried:`);
    for (const { fullName, module } of flaky) this.#vitest?.logger.log(`     ${module.relativeModuleId} > ${fullName}`);
  }
}
