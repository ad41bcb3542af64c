// npm run explore: the property tests with seeds that they were never run with. Stops at the first that fails.
import './node-floor.mjs';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { toolPaths } from './paths.mjs';
import { runNode } from './run-tool.mjs';
import { ensureInstalled, SetUpError } from './set-up.mjs';

const usage = `npm run explore -- [options] [files]
  --rounds N   how often the tests run, each time with another seed (default 10)
  --seed N     one round with this seed
  --help`;

/** What the seeds of fast-check are. */
const seeds = 2 ** 31;

/**
 * @param {number} seed
 * @param {readonly string[]} files
 */
const round = (seed, files) =>
  runNode(toolPaths.vitest, ['run', '--project', 'property', '--reporter=dot', '--no-color', ...files], {
    quiet: true,
    env: { PROPERTY_SEED: String(seed) },
  });

/**
 * @param {readonly number[]} chosen
 * @param {readonly string[]} files
 */
const explore = async (chosen, files) => {
  for (const [index, seed] of chosen.entries()) {
    const { code, output } = await round(seed, files);
    console.log(`round ${index + 1} of ${chosen.length}, seed ${seed}: ${code === 0 ? 'passed' : 'FAILED'}`);
    if (code === 0) continue;
    // What is before that is a dot for each test.
    const report = output.slice(Math.max(0, output.indexOf('Failed Tests')));
    console.log(`${report.trimEnd()}\n\nOnce more: npm run explore -- --seed ${seed}`);
    return false;
  }
  return true;
};

/** @param {string | undefined} text */
const whole = (text) => (text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '10' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    console.log(usage);
    return true;
  }
  const rounds = values.seed === undefined ? whole(values.rounds) : 1;
  const first = values.seed === undefined ? 0 : whole(values.seed);
  if (!(rounds >= 1) || !(first < seeds)) throw new SetUpError(`a number is needed\n${usage}`);
  await ensureInstalled('1/1');
  const chosen = Array.from({ length: rounds }, () => (values.seed === undefined ? randomInt(seeds) : first));
  return explore(chosen, positionals);
};

try {
  if (!(await main())) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
