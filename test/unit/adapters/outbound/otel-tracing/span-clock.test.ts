import { describe, expect, it } from 'vitest';
import { SpanClock } from '../../../../../src/adapters/outbound/otel-tracing/otel-tracer.js';

/** Two clocks that are set apart from each other. */
const clocks = {
  wall: 0,
  monotonic: 0,
  wallMs: () => clocks.wall,
  monotonicMs: () => clocks.monotonic,
  turnMs: () => clocks.monotonic,
};

const newClock = (): SpanClock => {
  Object.assign(clocks, { wall: 1_000_000, monotonic: 10.25 });
  return new SpanClock(clocks);
};

describe('SpanClock', () => {
  it('counts on in fractions of a millisecond, whatever the wall clock rounds to', () => {
    const clock = newClock();
    const request = clock.offsetMs();
    const begins = clock.nowMs(request);
    Object.assign(clocks, { wall: 1_000_001, monotonic: 10.75 });
    const part = clock.offsetMs();
    const ends = [clock.nowMs(part), clock.nowMs(request)];
    expect(begins).toBe(1_000_000);
    expect(ends).toEqual([1_000_000.5, 1_000_000.5]);
  });

  it('keeps the length of what is under way when the wall clock is set, and begins anew with what comes', () => {
    const clock = newClock();
    const before = clock.offsetMs();
    Object.assign(clocks, { wall: 500_000, monotonic: 15.25 });
    expect(clock.nowMs(before)).toBe(1_000_005);
    const after = clock.offsetMs();
    expect(clock.nowMs(after)).toBe(500_000);
  });
});
