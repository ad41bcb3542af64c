import { expect, it } from 'vitest';
import { descriptorWarning } from '../../../../../src/domain/gateway/limits/descriptor-demand.js';
import { plainUpstream } from '../../../../support/gateway/plain-configurations.js';

const limits = { maxTotalConnections: 1_000 };
const upstream = { ...plainUpstream('api', 1), maxConnections: 100 };
const several = [upstream, { ...upstream, targets: [...upstream.targets, ...upstream.targets] }];

it.each([
  ['which the system does not say', null, 1, several],
  ['that is as large as the limits allow, and 64 more', 1_364, 1, several],
  ['where the connections to upstreams are divided among workers', 1_139, 4, several],
  ['without upstreams', 1_064, 1, []],
])('does not warn about descriptors %s', (_, limit, workers, upstreams) => {
  expect(descriptorWarning(limits, upstreams, workers, limit)).toBeNull();
});

it.each([
  [1_363, 1, '300 upstream connections'],
  [1_138, 4, '75 upstream connections'],
])('warns of %i descriptors for %i workers, and names both sides', (limit, workers, toUpstreams) => {
  const warning = descriptorWarning(limits, several, workers, limit);
  expect(warning).toContain('1000 client connections (max-total-connections)');
  expect(warning).toContain(toUpstreams);
  expect(warning).toContain(`${limit} file descriptors`);
});
