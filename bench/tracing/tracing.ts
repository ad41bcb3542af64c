// `npm run bench -- tracing`: what the trace of a request costs, recorded or not.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const tracing: CheckBenchmark = {
  name: 'tracing',
  example: 'request',
  digits: { microseconds: 2, ratio: 3 },
  preface: [
    'A check is the trace of one request: begun, propagated by one call of an agent and one attempt at an upstream, and ended.',
    'A request that is recorded is three spans, which are sent to a collector in this process: what that takes counts too.',
    'While tracing is off nothing of this runs.',
  ],
  prepare: prepareComparisons,
};
