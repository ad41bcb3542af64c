import { it as plainIt } from 'vitest';
import { CleanUp } from './clean-up.js';
import { temporaryFolder } from './temporary-folder.js';

/**
 * Vitest's `it` with what most tests need. Vitest makes a fixture only for tests that name it.
 *
 * - `cleanUp` closes what the test opened when the test ends.
 * - `folder` is a temporary folder, removed when the test ends.
 * - `fileCleanUp` closes what all tests of a file share when the file ends.
 *
 * A file shares an object among its tests with a further fixture:
 *
 *     const it = baseIt.extend('stack', { scope: 'file' }, ({ fileCleanUp }) => startStack(fileCleanUp));
 */
export const it = plainIt
  // biome-ignore lint/correctness/noEmptyPattern: Vitest finds the fixtures that a fixture needs in this pattern.
  .extend('fileCleanUp', { scope: 'file' }, ({}, { onCleanup }) => {
    const cleanUp = new CleanUp();
    onCleanup(() => cleanUp.run());
    return cleanUp;
  })
  .extend('cleanUp', ({ onTestFinished }) => {
    const cleanUp = new CleanUp();
    onTestFinished(() => cleanUp.run());
    return cleanUp;
  })
  .extend('folder', ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    return folder;
  });
