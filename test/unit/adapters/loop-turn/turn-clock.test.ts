import { describe, expect, it } from 'vitest';
import { turnBegins, turnEnds, turnMs } from '../../../../src/adapters/loop-turn/turn-clock.js';

/** Until the clock has gone on. */
const passTime = (): void => {
  const beganMs = performance.now();
  while (performance.now() - beganMs < 2);
};

describe('the clock of a turn', () => {
  it('stands at the time of the read while that is handled', () => {
    const beforeMs = performance.now();
    turnBegins();
    const atMs = turnMs();
    passTime();
    expect(turnMs()).toBe(atMs);
    turnEnds();
    expect(atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(turnMs()).toBeGreaterThanOrEqual(atMs + 2);
  });

  it('goes on where nothing is handled', () => {
    const atMs = turnMs();
    passTime();
    expect(turnMs()).toBeGreaterThanOrEqual(atMs + 2);
  });

  it('goes on with a read that is handled within another, and behind that', () => {
    turnBegins();
    const outerMs = turnMs();
    passTime();
    turnBegins();
    const innerMs = turnMs();
    turnEnds();
    passTime();
    expect(innerMs).toBeGreaterThanOrEqual(outerMs + 2);
    expect(turnMs()).toBeGreaterThanOrEqual(innerMs + 2);
  });
});
