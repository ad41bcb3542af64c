import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './paths.mjs';

/** Where the counts go; set by test.mjs. */
export const reportVariable = 'PORTCULLIS_TEST_REPORT';

/**
 * Counts what vitest ran, and keeps the names of what it skipped and of what failed.
 * @typedef {{ name: string, why: string }} SkippedTest
 * @typedef {{ passed: number, failed: string[], skipped: SkippedTest[] }} TestReport
 */
export default class SummaryReporter {
  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<unknown>} unhandledErrors
   * @param {import('vitest/node').TestRunEndReason} reason
   */
  onTestRunEnd(modules, unhandledErrors, reason) {
    /** @type {TestReport} */
    const report = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) {
      // A file can be part of several projects.
      const file = `${module.project.name}: ${relative(root, module.moduleId)}`;
      const failedBefore = report.failed.length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        const name = `${file} > ${test.fullName}`;
        if (result.state === 'passed') report.passed += 1;
        else if (result.state === 'skipped') report.skipped.push({ name, why: result.note ?? '' });
        else report.failed.push(name);
      }
      // A file that could not be loaded, or a hook that threw, has no failed test to show for it.
      if (!module.ok() && report.failed.length === failedBefore) report.failed.push(file);
    }
    for (const error of unhandledErrors) report.failed.push(`outside any test: ${describe(error)}`);
    if (reason === 'interrupted') report.failed.push('the run was interrupted');
    const target = process.env[reportVariable];
    if (target !== undefined) writeFileSync(target, JSON.stringify(report));
  }
}

/** @param {unknown} error */
const describe = (error) =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
