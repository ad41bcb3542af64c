import { describe, expect, it } from 'vitest';
import type { Measurement } from '../../../bench/measure.js';
import { median, renderTable } from '../../../bench/report.js';
import { scenarios } from '../../../bench/scenarios.js';
import { readSettings } from '../../../bench/settings.js';
import { parseWrk } from '../../../bench/wrk.js';

const printed = `Running 5s test @ http://127.0.0.1:8080/orders/17
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.66ms  812.00us  20.11ms   88.11%
    Req/Sec    38.52k     2.10k   42.11k    70.00%
  Latency Distribution
     50%    1.52ms
     75%    1.91ms
     90%  950.00us
     99%    1.25s
  191640 requests in 5.00s, 31.07MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 5
Requests/sec:  38317.07
Transfer/sec:      6.21MB
`;

const round = (requestsPerSecond: number, cpuUsPerRequest: number): Measurement => ({
  requests: 1000,
  requestsPerSecond,
  p50Ms: 1,
  p99Ms: 2,
  errors: 0,
  cpuUsPerRequest,
  foreignShare: 0,
});

describe('the figures of the benchmark', () => {
  it('are read from what wrk prints, in milliseconds, with every kind of error', () => {
    expect(parseWrk(printed)).toEqual({
      requests: 191_640,
      requestsPerSecond: 38_317.07,
      p50Ms: 1.52,
      p99Ms: 1250,
      errors: 15,
    });
  });

  it('have a median that ignores what is no number', () => {
    expect(median([3, 1, Number.NaN, 2])).toBe(2);
    expect(median([4, 1])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('are compared within a round, and only where both were measured', () => {
    const [scenario] = scenarios;
    if (scenario === undefined) throw new Error('there is no scenario');
    const table = renderTable(scenario, [
      { name: 'gateway', describes: '', rounds: [round(50, 40), null, round(10, 30)] },
      { name: 'nginx', describes: '', rounds: [round(100, 10), round(1, 1), null] },
    ]);
    const cells = table
      .split('\n')
      .find((line) => line.startsWith('| gateway'))
      ?.split('|')
      .map((cell) => cell.trim());
    expect(cells?.slice(7, 10)).toEqual(['0.50', '0.25', '2/3']);
  });
});

describe('the settings of the benchmark', () => {
  it('refuse what cannot be measured', () => {
    expect(() => readSettings(['--rounds', '0'])).toThrow('--rounds');
    expect(() => readSettings(['--scenario', 'enormous'])).toThrow('enormous');
    expect(() => readSettings(['--speed'])).toThrow();
  });

  it('are none where help is asked for', () => {
    expect(readSettings(['--help'])).toBeNull();
  });
});
