// `npm run bench -- sessions`: what sessions in sqlite cost, with a thousand of them and with a million.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const sessions: CheckBenchmark = {
  name: 'sessions',
  example: 'remembered',
  digits: { microseconds: 2, ratio: 2 },
  preface: [
    'Each row has a database of its own with so many sessions, filled through the store before anything is measured.',
    'The ratios say how costs grow with the number of sessions: 1 is not at all.',
    'Writes wait for the disk, which no CPU time shows: checks/s does. Every outcome is asserted.',
  ],
  prepare: prepareComparisons,
};
