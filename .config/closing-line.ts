/** A reporter for Vitest: its last line says how many tests passed, failed and were skipped. */
import type { Reporter, TestModule } from 'vitest/node';

/** Prints why tests were skipped, then a last line for scripts to read, for example `346 passed, 0 failed, 0 skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const reasons: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result();
        counts[result.state] += 1;
        if (result.state === 'skipped' && result.note !== undefined) {
          reasons.push(`Skipped: ${test.fullName}: ${result.note}\n`);
        }
      }
      // A file that fails to load has no tests to count.
      if (module.errors().length > 0) counts.failed += 1;
    }
    process.stdout.write(`\n${reasons.join('')}`);
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
