// `npm run bench -- authorization`: what a decision costs, beside the official engine in WebAssembly.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const authorization: CheckBenchmark = {
  name: 'authorization',
  example: 'scoped 100',
  digits: { microseconds: 2, ratio: 1 },
  preface: [
    'Both engines parse the policies beforehand. Four requests take turns: two are allowed, two denied; each decision is asserted.',
    'Both engines get principal, roles, resource and context anew with each request.',
  ],
  prepare: prepareComparisons,
};
