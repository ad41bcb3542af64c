import { totalmem } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { NodeProcessFigures } from '../../../../../src/adapters/outbound/node-process-figures/node-process-figures.js';

it('tells of memory in octets: what the process holds is some of what there is', () => {
  const figures = new NodeProcessFigures();
  expect(figures.residentBytes()).toBeGreaterThan(1_048_576);
  expect(figures.residentBytes()).toBeLessThan(figures.availableBytes());
  expect(figures.availableBytes()).toBeLessThanOrEqual(totalmem());
});

it('tells a sum of event-loop delays that never falls', () => {
  const measured = { count: 1, mean: 30e6 };
  const delay = Object.defineProperties(monitorEventLoopDelay(), {
    count: { get: () => measured.count },
    mean: { get: () => measured.mean },
  }) as IntervalHistogram;
  const figures = new NodeProcessFigures(delay);
  expect(figures.eventLoopDelay()).toMatchObject({ count: 1, sumMs: 10 });
  // The second timer runs 2 ms early.
  Object.assign(measured, { count: 2, mean: 24e6 });
  expect(figures.eventLoopDelay()).toMatchObject({ count: 2, sumMs: 10 });
  Object.assign(measured, { count: 4, mean: 25e6 });
  expect(figures.eventLoopDelay()).toMatchObject({ count: 4, sumMs: 20 });
  delay.disable();
});
