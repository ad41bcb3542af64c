// npm start: sets up what is missing, then runs the demonstration in this very process, so that signals and the exit
// code are its own.
import './node-floor.mjs';
import { pathToFileURL } from 'node:url';
import { inRoot, root } from './paths.mjs';
import { releaseSignals } from './run-tool.mjs';
import { ensureBuilt, ensureInstalled, SetUpError } from './set-up.mjs';

const demo = inRoot('dist', 'programs', 'main-demo.js');

const isReady = async () => {
  try {
    await ensureInstalled('1/3');
    await ensureBuilt('2/3');
    return true;
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(error.message);
    return false;
  }
};

if (await isReady()) {
  console.log('[3/3] starting');
  releaseSignals();
  process.chdir(root);
  process.argv[1] = demo;
  await import(pathToFileURL(demo).href);
} else {
  process.exitCode = 1;
}
