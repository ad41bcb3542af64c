// `npm run bench -- agents`: what a call to an agent costs, by transport.
import type { CheckBenchmark } from '../checks/run-comparisons.js';
import { prepareComparisons } from './comparisons.js';

export const agents: CheckBenchmark = {
  name: 'agents',
  example: '64 in flight',
  digits: { microseconds: 1, ratio: 2 },
  preface: [
    'A check is a call: the head of a request with ten headers, answered allow with two header operations by an agent that does nothing else.',
    'Both ends run in this process, so that the CPU time is that of gateway and agent together; four connections.',
    'The breaker and the limit of the size of answers are around every client, as in the gateway.',
  ],
  prepare: prepareComparisons,
};
