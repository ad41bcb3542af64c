import { describe, expect, it } from 'vitest';
import { isUpstreamHealthy } from '../../../../../src/domain/gateway/status/upstream-health.js';

const well = { healthy: true, drained: false, weight: 1 };

describe('an upstream', () => {
  it('is healthy while a target receives requests', () => {
    expect(isUpstreamHealthy([{ ...well, healthy: false }, well])).toBe(true);
  });

  it.each([
    ['is ill', { ...well, healthy: false }],
    ['is drained', { ...well, drained: true }],
    ['has no weight', { ...well, weight: 0 }],
  ])('is unhealthy if every target %s', (_why, target) => {
    expect(isUpstreamHealthy([target, target])).toBe(false);
  });

  it('is not without any', () => {
    expect(isUpstreamHealthy([])).toBe(false);
  });
});
