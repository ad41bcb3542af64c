import { describe, expect, it } from 'vitest';
import {
  batchBegins,
  batchEnds,
  turnBegins,
  turnEnds,
  turnMs,
} from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { passTime } from '../../../support/shared/loop-turns.js';

describe('the clock of a turn', () => {
  it('stands at the time of the read while that is handled', () => {
    const beforeMs = performance.now();
    const outerMs = turnBegins();
    const atMs = turnMs();
    passTime();
    expect(turnMs()).toBe(atMs);
    turnEnds(outerMs);
    expect(atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(turnMs()).toBeGreaterThanOrEqual(atMs + 2);
  });

  it('goes on where nothing is handled', () => {
    const atMs = turnMs();
    passTime();
    expect(turnMs()).toBeGreaterThanOrEqual(atMs + 2);
  });

  it('goes on with a read that is handled within another, stands at its time behind that, and goes on behind both', () => {
    const before = turnBegins();
    const outerMs = turnMs();
    passTime();
    const outer = turnBegins();
    const innerMs = turnMs();
    turnEnds(outer);
    passTime();
    expect(innerMs).toBeGreaterThanOrEqual(outerMs + 2);
    expect(turnMs()).toBe(innerMs);
    turnEnds(before);
    expect(turnMs()).toBeGreaterThanOrEqual(innerMs + 2);
  });
});

/** The time of a read that begins now; time passes while it is handled. */
const timeOfRead = (): number => {
  const outerMs = turnBegins();
  const atMs = turnMs();
  passTime();
  expect(turnMs()).toBe(atMs);
  turnEnds(outerMs);
  return atMs;
};

describe('the clock of reads that are handled one after the other', () => {
  it('stands at the time at which the first is handled, until the next begin', () => {
    const beforeMs = performance.now();
    batchBegins();
    const first = [timeOfRead(), timeOfRead()];
    batchBegins();
    const second = [timeOfRead(), timeOfRead()];
    batchEnds();
    expect(first[0]).toBeGreaterThanOrEqual(beforeMs);
    expect(first[1]).toBe(first[0]);
    expect(second[0]).toBeGreaterThanOrEqual((first[0] ?? 0) + 4);
    expect(second[1]).toBe(second[0]);
  });

  it('goes on between them, where nothing is handled', () => {
    batchBegins();
    const readMs = timeOfRead();
    const betweenMs = turnMs();
    batchEnds();
    expect(betweenMs).toBeGreaterThanOrEqual(readMs + 2);
  });

  it('goes on behind them', () => {
    batchBegins();
    const readMs = timeOfRead();
    batchEnds();
    expect(turnMs()).toBeGreaterThanOrEqual(readMs + 2);
    expect(timeOfRead()).toBeGreaterThanOrEqual(readMs + 2);
  });

  it('leaves a read that is being handled its time when they end', () => {
    batchBegins();
    const outerMs = turnBegins();
    const readMs = turnMs();
    batchEnds();
    passTime();
    expect(turnMs()).toBe(readMs);
    turnEnds(outerMs);
  });
});
