// `npm run bench -- exchange`: what an exchange of tokens costs, beside a library that does nothing but verify and
// sign.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const exchange: CheckBenchmark = {
  name: 'exchange',
  example: 'RS256',
  digits: { microseconds: 1, ratio: 2 },
  preface: [
    'Rows of the agent are whole exchanges without transport: head and form read, client authenticated, subject token verified, token signed,',
    'audit line made (and not written).',
    'Subject tokens are RS256 (2048 bits), 1 000 of them in turn, none cached. CPU time covers all threads.',
  ],
  prepare: prepareComparisons,
};
