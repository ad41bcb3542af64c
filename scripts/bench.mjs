// npm run bench: sets up what is missing, compiles bench/ and runs it in this process. Arguments go to bench/main.ts.
import './node-floor.mjs';
import { existsSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inRoot, root, toolPaths } from './paths.mjs';
import { withProgress } from './progress.mjs';
import { releaseSignals, runNode } from './run-tool.mjs';
import { ensureBuilt, ensureInstalled, SetUpError } from './set-up.mjs';

const main = inRoot('dist', 'bench', 'main.js');

const compileBench = async () => {
  // What tsc knows of an earlier build is no reason to leave out what is not there.
  if (!existsSync(main)) rmSync(inRoot('dist', 'bench.tsbuildinfo'), { force: true });
  const { code, output } = await runNode(toolPaths.tsc, ['-b', 'bench'], { quiet: true });
  if (code === 0) return;
  process.stdout.write(output);
  throw new SetUpError('compiling bench/ failed');
};

const isReady = async () => {
  try {
    await ensureInstalled('1/3');
    await ensureBuilt('2/3');
    await withProgress('[3/3] compiling bench', compileBench);
    return true;
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(error.message);
    return false;
  }
};

if (await isReady()) {
  releaseSignals();
  process.chdir(root);
  await import(pathToFileURL(main).href);
} else {
  process.exitCode = 1;
}
