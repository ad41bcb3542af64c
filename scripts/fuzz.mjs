// npm run fuzz: sets up what is missing, compiles fuzz/ and runs it in this process. Arguments go to fuzz/main.ts.
import './node-floor.mjs';
import { existsSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inRoot, root, toolPaths } from './paths.mjs';
import { withProgress } from './progress.mjs';
import { releaseSignals, runNode } from './run-tool.mjs';
import { ensureBuilt, ensureInstalled, SetUpError } from './set-up.mjs';

const main = inRoot('dist', 'fuzz', 'main.js');

const compileFuzz = async () => {
  // What tsc knows of an earlier build is no reason to leave out what is not there.
  if (!existsSync(main)) rmSync(inRoot('dist', 'fuzz.tsbuildinfo'), { force: true });
  const { code, output } = await runNode(toolPaths.tsc, ['-b', 'fuzz'], { quiet: true });
  if (code === 0) return;
  process.stdout.write(output);
  throw new SetUpError('compiling fuzz/ failed');
};

const isReady = async () => {
  try {
    await ensureInstalled('1/3');
    await ensureBuilt('2/3');
    await withProgress('[3/3] compiling fuzz', compileFuzz);
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
