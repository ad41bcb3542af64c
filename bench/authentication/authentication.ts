// `npm run bench -- authentication`: what it costs the agent to authenticate a request, beside libraries that verify
// tokens.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const authentication: CheckBenchmark = {
  name: 'authentication',
  example: 'jwt RS256',
  digits: { microseconds: 1, ratio: 2 },
  preface: [
    '1 000 credentials in turn.',
    'Rows of the agent are whole decisions: headers read, credential checked, identity headers made.',
  ],
  prepare: prepareComparisons,
};
