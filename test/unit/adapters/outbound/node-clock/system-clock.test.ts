import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../../src/adapters/outbound/node-clock/system-clock.js';

describe('SystemClock', () => {
  it('has a wall clock that counts from 1970, and another that never goes back', () => {
    const clock = new SystemClock();
    expect(new Date(clock.wallMs()).getUTCFullYear()).toBeGreaterThan(2_020);
    const first = clock.monotonicMs();
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(first);
    expect(first).toBeLessThan(clock.wallMs());
  });
});
