import { existsSync } from 'node:fs';
import { finishBuild } from './build-output.mjs';
import { toolPaths } from './paths.mjs';
import { withProgress } from './progress.mjs';
import { runNode, runTool } from './run-tool.mjs';
import { withSetUpLock } from './set-up-lock.mjs';
import { beginBuild, isBuilt, isInstalled, markInstalled } from './stamps.mjs';

/** Set while a script here runs npm: the package's own prepare step then leaves the build to it. */
export const setUpVariable = 'PORTCULLIS_SET_UP';

/** A step of the set-up failed; what the tool said has been shown. */
export class SetUpError extends Error {}

/**
 * @param {string} what
 * @param {{ code: number, output: string }} outcome
 */
const demand = (what, { code, output }) => {
  if (code === 0) return;
  process.stdout.write(output);
  throw new SetUpError(`${what} failed (exit code ${code})`);
};

const npmCi = async () => {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { quiet: true, env: { [setUpVariable]: '1' } };
  // npm names itself to the scripts it runs; asked directly, a script takes the npm on the path.
  const npm = process.env['npm_execpath'];
  const outcome =
    npm?.endsWith('.js') && existsSync(npm) ? await runNode(npm, args, options) : await runTool('npm', args, options);
  demand('npm ci', outcome);
};

/** Compiles src into dist. */
export const build = async () => {
  const markBuilt = beginBuild();
  demand('the build', await runNode(toolPaths.tsc, ['-b', 'src'], { quiet: true }));
  await finishBuild();
  markBuilt();
};

/**
 * Installs the packages if they are not those of the lock file.
 * @param {string} step such as `1/3`
 */
export const ensureInstalled = async (step) => {
  if (isInstalled()) return;
  await withSetUpLock(async () => {
    if (isInstalled()) return;
    await withProgress(`[${step}] installing packages`, npmCi);
    markInstalled();
  });
};

/**
 * Builds if a source has changed since the last build.
 * @param {string} step
 */
export const ensureBuilt = async (step) => {
  if (isBuilt()) return;
  await withSetUpLock(async () => {
    if (isBuilt()) return;
    await withProgress(`[${step}] building`, build);
  });
};
