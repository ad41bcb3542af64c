import { it as plainIt } from 'vitest';
import { CleanUp } from './clean-up.js';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

interface Fixtures {
  /** Closes what the test has opened when the test is over. */
  readonly cleanUp: CleanUp;
  /** Removed when the test is over. */
  readonly folder: TemporaryFolder;
}

/** Vitest's `it` with what most tests need. Each fixture is made only for tests that name it. */
export const it = plainIt.extend<Fixtures>({
  cleanUp: async ({ onTestFinished }, use) => {
    const cleanUp = new CleanUp();
    onTestFinished(() => cleanUp.run());
    await use(cleanUp);
  },
  folder: async ({ cleanUp }, use) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    await use(folder);
  },
});
