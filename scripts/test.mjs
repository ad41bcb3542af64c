// npm test: sets up what is missing, checks types, lint and laws, and runs every test except the slow ones.
// npm run test:slow: the same checks, then the slow tests (*.slow.test.ts).
// npm run check: the same checks, then the unit and property tests. More arguments go to vitest.
import './node-floor.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finishBuild } from './build-output.mjs';
import { inRoot, toolPaths } from './paths.mjs';
import { withProgress } from './progress.mjs';
import { runNode } from './run-tool.mjs';
import { ensureInstalled, SetUpError } from './set-up.mjs';
import { withSetUpLock } from './set-up-lock.mjs';
import { beginBuild } from './stamps.mjs';
import { reportVariable } from './summary-reporter.mjs';

/** @typedef {{ tests: string, projects: readonly string[] }} Selection */

/** @type {Selection} */
const standard = { tests: 'every test', projects: ['unit', 'property', 'contract', 'integration', 'e2e'] };

/** @type {ReadonlyMap<string, Selection>} */
const selections = new Map([
  ['--quick', { tests: 'the unit and property tests', projects: ['unit', 'property'] }],
  ['--slow', { tests: 'the slow tests', projects: ['slow', 'integration-on-node', 'e2e-on-node'] }],
]);

const selection = process.argv.map((argument) => selections.get(argument)).find(Boolean) ?? standard;
const vitestArgs = process.argv.slice(2).filter((argument) => !selections.has(argument));
const strict = process.env['CI'] === 'true';

/** @typedef {{ name: string, code: number, output: string }} CheckOutcome */

const checkTypes = () =>
  withSetUpLock(async () => {
    const markBuilt = beginBuild();
    const outcome = await runNode(toolPaths.tsc, ['-b', '--pretty', 'false'], { quiet: true });
    if (outcome.code !== 0) return outcome;
    await finishBuild();
    markBuilt();
    return outcome;
  });

const checkLint = () =>
  runNode(toolPaths.biome, ['check', '--error-on-warnings', '--colors=off', '--max-diagnostics=20', '.'], {
    quiet: true,
  });

const checkLaws = () =>
  runNode(toolPaths.depcruise, ['--config', '.dependency-cruiser.cjs', 'src', 'test', 'bench', 'fuzz'], {
    quiet: true,
  });

/**
 * @param {string} name
 * @param {() => Promise<{ code: number, output: string }>} check
 * @returns {Promise<CheckOutcome>}
 */
const named = async (name, check) => ({ name, ...(await check()) });

/** @returns {Promise<import('./summary-reporter.mjs').TestReport>} */
const runTests = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-test-'));
  const reportFile = join(folder, 'report.json');
  const projects = selection.projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', `--reporter=${inRoot('scripts', 'summary-reporter.mjs')}`];
  try {
    const { code } = await runNode(toolPaths.vitest, ['run', ...reporters, ...projects, ...vitestArgs], {
      env: { [reportVariable]: reportFile },
    });
    const report = JSON.parse(readFileSync(reportFile, 'utf8'));
    if (code !== 0 && report.failed.length === 0) report.failed.push(`vitest ended with exit code ${code}`);
    return report;
  } catch {
    return { passed: 0, failed: ['vitest ended without a report'], skipped: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * @param {readonly CheckOutcome[]} checks
 * @param {import('./summary-reporter.mjs').TestReport} tests
 */
const summarise = (checks, tests) => {
  const failed = [...checks.filter(({ code }) => code !== 0).map(({ name }) => name), ...tests.failed];
  const passed = checks.filter(({ code }) => code === 0).length + tests.passed;
  console.log('\nSummary');
  for (const { name, code } of checks) console.log(`  ${name.padEnd(6)} ${code === 0 ? 'passed' : 'FAILED'}`);
  console.log(`  tests  ${tests.passed} passed, ${tests.failed.length} failed, ${tests.skipped.length} skipped`);
  if (failed.length > 0) console.log(['\nFailed:', ...failed].join('\n  '));
  if (tests.skipped.length > 0) {
    const lines = tests.skipped.map(({ name, why }) => (why === '' ? name : `${name}: ${why}`));
    console.log(['\nSkipped:', ...lines].join('\n  '));
    if (strict) console.log('\nWith CI=true a skipped test is a failure.');
  }
  console.log(`\n${passed} passed, ${failed.length} failed, ${tests.skipped.length} skipped`);
  return failed.length === 0 && !(strict && tests.skipped.length > 0);
};

try {
  await ensureInstalled('1/3');
  const checks = await withProgress('[2/3] building, and checking types, lint and laws', () =>
    Promise.all([named('types', checkTypes), named('lint', checkLint), named('laws', checkLaws)]),
  );
  for (const { name, code, output } of checks) if (code !== 0) console.log(`\n${name}:\n${output.trimEnd()}`);
  console.log(`[3/3] running ${selection.tests} ...`);
  if (!summarise(checks, await runTests())) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  console.error(error.message);
  console.log('\n0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
}
