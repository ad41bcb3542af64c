import './node-floor.mjs';
import { withProgress } from './progress.mjs';
import { build, ensureInstalled, SetUpError } from './set-up.mjs';
import { withSetUpLock } from './set-up-lock.mjs';

try {
  await ensureInstalled('1/2');
  await withSetUpLock(() => withProgress('[2/2] building', build));
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
