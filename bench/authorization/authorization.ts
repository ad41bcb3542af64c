// `npm run bench -- authorization`: what a decision costs, beside the official engine in WebAssembly.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const authorization: CheckBenchmark = {
  name: 'authorization',
  example: 'scoped 100',
  digits: { microseconds: 2, ratio: 1 },
  preface: [
    'Policies are parsed beforehand by both. Four requests go round: two are allowed, two denied; each decision is asserted.',
    'Every request brings its principal, roles, resource and context anew, to both.',
  ],
  prepare: prepareComparisons,
};
