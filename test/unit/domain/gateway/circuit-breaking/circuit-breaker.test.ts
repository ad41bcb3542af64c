import { describe, expect, it } from 'vitest';
import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  circuitStateOf,
  closedBreaker,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
} from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';

const rules: CircuitBreakerRules = { failureThreshold: 3, openMs: 1_000, probes: 1 };

const failed = (times: number, breaker: CircuitBreaker = closedBreaker, nowMs = 0): CircuitBreaker => {
  let state = breaker;
  for (let time = 0; time < times; time += 1) state = noteFailure(state, rules, nowMs);
  return state;
};

const open = failed(3);
const halfOpen = mayCall(open, rules, 1_000).state;

describe('a circuit breaker', () => {
  it('allows all calls below the threshold of consecutive failures', () => {
    expect(mayCall(failed(2), rules, 0)).toMatchObject({ allowed: true });
    expect(circuitStateOf(failed(2), 0)).toBe('closed');
    expect(circuitStateOf(open, 0)).toBe('open');
    expect(mayCall(open, rules, 0)).toEqual({ state: open, allowed: false });
  });

  it('counts only consecutive failures', () => {
    expect(circuitStateOf(failed(2, noteSuccess(failed(2))), 0)).toBe('closed');
    expect(circuitStateOf(failed(1, noteAbandoned(failed(2))), 0)).toBe('open');
  });

  it('opens at the first failure with a threshold of 1', () => {
    expect(noteFailure(closedBreaker, { ...rules, failureThreshold: 1 }, 5)).toMatchObject({ untilMs: 1_005 });
  });

  it('allows no call while it is open', () => {
    expect(mayCall(open, rules, 999).allowed).toBe(false);
    expect(circuitStateOf(open, 999)).toBe('open');
    expect(circuitStateOf(open, 1_000)).toBe('half_open');
    expect(mayCall(open, rules, 1_000).allowed).toBe(true);
  });

  it('allows the configured number of concurrent probes', () => {
    expect(mayCall(halfOpen, rules, 1_000).allowed).toBe(false);
    const two = { ...rules, probes: 2 };
    const second = mayCall(halfOpen, two, 1_000);
    expect(second.allowed).toBe(true);
    expect(mayCall(second.state, two, 1_000).allowed).toBe(false);
  });

  it('allows another probe when the last one takes as long as the open time', () => {
    expect(mayCall(halfOpen, rules, 1_999).allowed).toBe(false);
    const second = mayCall(halfOpen, rules, 2_000);
    expect(second).toEqual({ allowed: true, state: { state: 'half_open', period: 2, probing: 2, probedAtMs: 2_000 } });
    expect(mayCall(second.state, rules, 2_999).allowed).toBe(false);
    expect(mayCall(second.state, rules, 3_000).allowed).toBe(true);
    // It counts in addition to the late one: both must end before a slot is free.
    expect(mayCall(noteAbandoned(second.state), rules, 2_001).allowed).toBe(false);
    expect(mayCall(noteAbandoned(noteAbandoned(second.state)), rules, 2_001).allowed).toBe(true);
    expect(circuitStateOf(noteSuccess(second.state), 2_001)).toBe('closed');
  });

  it('closes after a successful probe and resets failures', () => {
    const closed = noteSuccess(halfOpen);
    expect(circuitStateOf(closed, 1_000)).toBe('closed');
    expect(circuitStateOf(failed(2, closed), 1_000)).toBe('closed');
  });

  it('opens again for the full time after a failed probe', () => {
    const again = noteFailure(halfOpen, rules, 1_500);
    expect(mayCall(again, rules, 2_499).allowed).toBe(false);
    expect(mayCall(again, rules, 2_500).allowed).toBe(true);
  });

  it('reuses the slot of an abandoned probe', () => {
    expect(mayCall(noteAbandoned(halfOpen), rules, 1_000).allowed).toBe(true);
    expect(mayCall(noteAbandoned(noteAbandoned(halfOpen)), rules, 1_000).state).toMatchObject({ probing: 1 });
  });

  it('starts a new period only with a change of state', () => {
    const periods = [closedBreaker, failed(2), open, halfOpen, noteAbandoned(halfOpen), noteSuccess(halfOpen)];
    expect(periods.map(({ period }) => period)).toEqual([0, 0, 1, 2, 2, 3]);
    expect(noteFailure(halfOpen, rules, 0).period).toBe(3);
  });

  it('ignores outcomes while it is open', () => {
    expect([noteSuccess(open), noteFailure(open, rules, 500), noteAbandoned(open)]).toEqual([open, open, open]);
  });
});
