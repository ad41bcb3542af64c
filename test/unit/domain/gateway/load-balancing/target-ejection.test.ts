import { describe, expect, it } from 'vitest';
import {
  ejectedForMs,
  isLetThrough,
  letBackIn,
  notEjected,
  type TargetEjection,
  withAnswer,
  withFailure,
  withNothingLearnt,
  withRequestSent,
  withSuccess,
} from '../../../../../src/domain/gateway/load-balancing/target-ejection.js';

const rules = { failureThreshold: 2, openMs: 1_000, probes: 1 };
const at = (monotonicMs: number) => ({ monotonicMs, wallMs: 1_000_000 + monotonicMs });

const failed = (before: TargetEjection, nowMs: number, error = 'status 503'): TargetEjection => {
  const sent = withRequestSent(before, rules, nowMs);
  return withFailure(sent, sent.breaker.period, rules, error, at(nowMs), false);
};

const ejected = failed(failed(notEjected, 0), 10, 'connection refused');

describe('the ejection of a target', () => {
  it('begins with the failure that is one too many, and says which one and when', () => {
    expect(isLetThrough(failed(notEjected, 0), rules, 0)).toBe(true);
    expect(isLetThrough(ejected, rules, 11)).toBe(false);
    expect(ejected).toMatchObject({ lastError: 'connection refused', sinceMs: 1_000_010 });
    expect(ejectedForMs(ejected, 110)).toBe(900);
  });

  it('lets one request through when it is over, and no other until that one has an outcome', () => {
    expect(isLetThrough(ejected, rules, 1_009)).toBe(false);
    expect(isLetThrough(ejected, rules, 1_010)).toBe(true);
    const probing = withRequestSent(ejected, rules, 1_010);
    expect(isLetThrough(probing, rules, 1_500)).toBe(false);
    expect(ejectedForMs(probing, 1_500)).toBe(0);
    const back = withSuccess(probing, probing.breaker.period);
    expect(isLetThrough(back, rules, 1_500)).toBe(true);
    expect(back.sinceMs).toBeNull();
  });

  it('goes on from a probe that fails, and keeps the time when it began', () => {
    const again = failed(ejected, 1_010, 'no answer');
    expect(isLetThrough(again, rules, 2_009)).toBe(false);
    expect(again).toMatchObject({ lastError: 'no answer', sinceMs: 1_000_010 });
  });

  it('lets another request through where a probe takes as long as a whole ejection', () => {
    const probing = withRequestSent(ejected, rules, 1_010);
    expect(isLetThrough(probing, rules, 2_009)).toBe(false);
    expect(isLetThrough(probing, rules, 2_010)).toBe(true);
    const second = withRequestSent(probing, rules, 2_010);
    expect(isLetThrough(second, rules, 3_009)).toBe(false);
    // The first one that is over decides, whichever it is.
    expect(isLetThrough(withSuccess(second, probing.breaker.period), rules, 2_020)).toBe(true);
  });

  it('counts a request that is let through beside a late one', () => {
    const both = withRequestSent(withRequestSent(ejected, rules, 1_010), rules, 2_010);
    const one = withNothingLearnt(both, both.breaker.period);
    expect(isLetThrough(one, rules, 2_011)).toBe(false);
    expect(isLetThrough(withNothingLearnt(one, one.breaker.period), rules, 2_011)).toBe(true);
  });

  it('ends with the head of an answer, and begins anew with one failure where the rest does not come', () => {
    const probing = withRequestSent(ejected, rules, 1_010);
    const back = withAnswer(probing, probing.breaker.period, rules);
    expect(isLetThrough(back, rules, 1_011)).toBe(true);
    expect(back.sinceMs).toBeNull();
    const again = failed(back, 1_020, 'broke off');
    expect(isLetThrough(again, rules, 2_019)).toBe(false);
    expect(again).toMatchObject({ lastError: 'broke off', sinceMs: 1_001_020 });
    const whole = withSuccess(back, back.breaker.period);
    expect(isLetThrough(failed(whole, 1_020), rules, 1_021)).toBe(true);
  });

  it('does not end with the answer to a request from before it, and a head says nothing of a target that works', () => {
    const probing = withRequestSent(ejected, rules, 1_010);
    expect(withAnswer(probing, notEjected.breaker.period, rules)).toBe(probing);
    const once = failed(notEjected, 0);
    expect(withAnswer(once, once.breaker.period, rules)).toBe(once);
  });

  it('frees the place of a probe that taught nothing', () => {
    const probing = withRequestSent(ejected, rules, 1_010);
    expect(isLetThrough(withNothingLearnt(probing, probing.breaker.period), rules, 1_011)).toBe(true);
  });

  it('heeds no outcome of a request from before it', () => {
    const before = notEjected.breaker.period;
    const probing = withRequestSent(ejected, rules, 1_010);
    expect(withSuccess(probing, before)).toBe(probing);
    expect(withFailure(probing, before, rules, 'late', at(1_020), false)).toBe(probing);
    expect(withNothingLearnt(probing, before)).toBe(probing);
  });

  it('ends at once where the target is known to be well, and old failures do not bring it back', () => {
    const back = letBackIn(ejected);
    expect(isLetThrough(back, rules, 11)).toBe(true);
    expect(back.sinceMs).toBeNull();
    expect(withFailure(back, ejected.breaker.period, rules, 'late', at(12), false)).toBe(back);
  });

  it('does not begin where the target is spared, and begins with the next failure where it is not any more', () => {
    const spare = (before: TargetEjection) => {
      const sent = withRequestSent(before, rules, 2_000);
      return withFailure(sent, sent.breaker.period, rules, 'status 500', at(2_000), true);
    };
    const spared = spare(spare(spare(notEjected)));
    expect(isLetThrough(spared, rules, 2_000)).toBe(true);
    expect(spared).toMatchObject({ lastError: 'status 500', sinceMs: null });
    expect(isLetThrough(failed(spared, 2_001), rules, 2_001)).toBe(false);
    // Nor does it go on: the probe of one that has become the last.
    const probed = spare(ejected);
    expect(isLetThrough(probed, rules, 2_000)).toBe(true);
    expect(probed.sinceMs).toBeNull();
    expect(isLetThrough(failed(probed, 2_001), rules, 2_001)).toBe(false);
  });

  it('makes nothing new for a request to a target that works', () => {
    expect(withRequestSent(notEjected, rules, 5)).toBe(notEjected);
    expect(withSuccess(notEjected, notEjected.breaker.period)).toBe(notEjected);
  });
});
