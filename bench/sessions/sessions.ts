// `npm run bench -- sessions-sqlite` and so on: what sessions in a store cost, with a thousand of them and with a million.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';
import type { StoreKind } from './filled-store.js';

const ofStore = (kind: StoreKind, about: string): CheckBenchmark => ({
  name: `sessions-${kind}`,
  example: 'find',
  digits: { microseconds: 2, ratio: 2 },
  preface: [
    'Each row has a separate store with that number of sessions, filled through the store before the measurement.',
    'The ratios show how costs grow with the number of sessions: 1 is no growth.',
    about,
    'Every outcome is asserted.',
  ],
  prepare: () => prepareComparisons(kind),
});

/** A process each, so that a million sessions in memory burden no other store. */
export const sessions: readonly CheckBenchmark[] = [
  ofStore('memory', 'The sessions are on the heap of this process, which its garbage collector visits.'),
  ofStore('sqlite', 'Writes wait for the disk, which only checks/s shows.'),
  ofStore('redis', 'Redis writes to no disk. Its own CPU time is not in the tables, only in checks/s.'),
];
