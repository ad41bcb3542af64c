// `npm run bench -- agents`: what a call to an agent costs, by transport.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const agents: CheckBenchmark = {
  name: 'agents',
  example: '64 in flight',
  digits: { microseconds: 1, ratio: 2 },
  preface: [
    'A check is a call with the head of a request with ten headers. The agent answers allow with two header operations.',
    'Both ends run in this process, so the CPU time covers gateway and agent; four connections.',
    'Every client has the breaker and the size limit of answers, as in the gateway.',
  ],
  prepare: prepareComparisons,
};
