import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type IntrospectedToken,
  IntrospectedTokenCache,
  maximumIntrospected,
} from '../../../../../src/application/agent/authenticate/introspected-token-cache.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const token = (lifeMs: number, expiresMs = Number.POSITIVE_INFINITY): IntrospectedToken => ({
  outcome: { kind: 'failed', reason: 'inactive' },
  binding: null,
  lifeMs,
  expiresMs,
});

describe('the cache of introspections', () => {
  it('has at most 10 000 results, and the one that was used longest ago goes first', () => {
    const cache = new IntrospectedTokenCache(new ManualClock());
    for (let index = 0; index < maximumIntrospected; index += 1) cache.remember(`token-${index}`, token(1_000));
    expect(cache.recall('token-0')).not.toBeNull();
    cache.remember('one more', token(1_000));
    expect(cache.size).toBe(maximumIntrospected);
    expect(cache.recall('token-0')).not.toBeNull();
    expect(cache.recall('token-1')).toBeNull();
  });

  it('never uses a result after its life or after the token has expired, whichever is earlier', () => {
    const times = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(times, times, times, (lifeMs, expiresInMs, laterMs) => {
        const clock = new ManualClock();
        const cache = new IntrospectedTokenCache(clock);
        cache.remember('token', token(lifeMs, clock.wallMs() + expiresInMs));
        clock.advance(laterMs);
        expect(cache.recall('token') !== null).toBe(laterMs < lifeMs && laterMs < expiresInMs);
      }),
    );
  });
});
