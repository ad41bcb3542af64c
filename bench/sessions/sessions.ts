// `npm run bench -- sessions`: what sessions in sqlite cost, with a thousand of them and with a million.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const sessions: CheckBenchmark = {
  name: 'sessions',
  example: 'remembered',
  digits: { microseconds: 2, ratio: 2 },
  preface: [
    'Each row has a separate database with that number of sessions, filled through the store before the measurement.',
    'The ratios show how costs grow with the number of sessions: 1 is no growth.',
    'Writes wait for the disk, which only checks/s shows. Every outcome is asserted.',
  ],
  prepare: prepareComparisons,
};
