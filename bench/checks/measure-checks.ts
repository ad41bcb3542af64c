import type { Row } from './comparison.js';

/** What one round of one row gave. */
export interface CheckFigures {
  readonly perSecond: number;
  /** Of all threads of the process, the pool that hashes and verifies included. */
  readonly cpuUsPerCheck: number;
}

/** Checks between two looks at the clock. */
const batch = 16;

const runFor = async ({ check }: Row, milliseconds: number): Promise<number> => {
  const endsMs = performance.now() + milliseconds;
  let count = 0;
  while (performance.now() < endsMs) {
    for (let each = 0; each < batch; each += 1) {
      const outcome = check.run(count);
      count += 1;
      if (outcome instanceof Promise) await outcome;
    }
  }
  return count * (check.callsPerRun ?? 1);
};

export const warmUpChecks = async (row: Row, milliseconds: number): Promise<void> => {
  await runFor(row, milliseconds);
};

export const measureChecks = async (row: Row, milliseconds: number): Promise<CheckFigures> => {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const count = await runFor(row, milliseconds);
  const elapsedMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { perSecond: (count / elapsedMs) * 1000, cpuUsPerCheck: (user + system) / count };
};
