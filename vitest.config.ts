import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The tests without sockets share nothing that they change, so they need no worker of their own for each file. */
const quick = { isolate: false, maxWorkers: Math.max(2, availableParallelism()) };

/** `groupOrder`: a group starts when the one before has ended, so that heavy tests do not starve each other. */
const project = (name: string, groupOrder: number, testTimeout: number, how: Partial<typeof quick> = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: 60_000,
    sequence: { groupOrder },
    ...how,
  },
});

/** unit and property need no sockets; contract and integration open some; e2e starts the built programs. */
export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      project('unit', 0, 10_000, quick),
      project('property', 0, 30_000, quick),
      project('contract', 1, 15_000),
      project('integration', 1, 30_000),
      project('e2e', 2, 60_000, { maxWorkers: 2 }),
    ],
  },
});
