import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { NodeProcessFigures } from '../../../../../src/adapters/outbound/node-process-figures/node-process-figures.js';

it('tells of memory in octets: what the process holds is some of what there is', () => {
  const figures = new NodeProcessFigures();
  expect(figures.residentBytes()).toBeGreaterThan(1_048_576);
  expect(figures.residentBytes()).toBeLessThan(figures.availableBytes());
  expect(figures.availableBytes()).toBeLessThanOrEqual(totalmem());
});
