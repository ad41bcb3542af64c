import { describe, expect, it } from 'vitest';
import {
  initialHealth,
  noteCheck,
  restartChecks,
  type TargetHealth,
} from '../../../../../src/domain/gateway/health/target-health.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';

const thresholds = { healthyThreshold: 2, unhealthyThreshold: 3 };

/** One letter for each check, a second apart: `+` is a success, any other letter the error. */
const healthAfter = (checks: string, health: TargetHealth = initialHealth): TargetHealth =>
  [...checks].reduce(
    (before, check, index) =>
      noteCheck(before, check === '+' ? ok(undefined) : err(check), thresholds, (index + 1) * 1000),
    health,
  );

describe('the health of a target', () => {
  it('is good before any check', () => {
    expect(initialHealth).toMatchObject({ healthy: true, lastError: null, sinceMs: null });
  });

  it('is the result of the first check', () => {
    expect(healthAfter('a')).toMatchObject({ healthy: false, lastError: 'a', sinceMs: 1000 });
    expect(healthAfter('+')).toMatchObject({ healthy: true, lastError: null, sinceMs: null });
  });

  it('turns bad after the threshold of consecutive failures', () => {
    expect(healthAfter('+aa')).toMatchObject({ healthy: true, lastError: null, sinceMs: null });
    expect(healthAfter('+aa+aa').healthy).toBe(true);
    expect(healthAfter('+abc')).toMatchObject({ healthy: false, lastError: 'c', sinceMs: 4000 });
  });

  it('recovers after the threshold of consecutive successes', () => {
    expect(healthAfter('a+').healthy).toBe(false);
    expect(healthAfter('a+a+').healthy).toBe(false);
    expect(healthAfter('a++')).toEqual(healthAfter('+'));
  });

  it('has the last error, and the time of the first', () => {
    expect(healthAfter('abb+c')).toMatchObject({ healthy: false, lastError: 'c', sinceMs: 1000 });
  });

  it('stays until the first check of a new kind, which decides alone', () => {
    const unwell = restartChecks(healthAfter('a'));
    expect(unwell).toMatchObject({ healthy: false, lastError: 'a', sinceMs: 1000 });
    expect(healthAfter('+', unwell).healthy).toBe(true);
    expect(healthAfter('b', restartChecks(healthAfter('+'))).healthy).toBe(false);
  });

  it('that the first check of a new kind has found, too, needs as many against it as ever', () => {
    const unwell = healthAfter('a', restartChecks(healthAfter('a')));
    expect(unwell).toMatchObject({ healthy: false, lastError: 'a', sinceMs: 1000 });
    expect(healthAfter('+', unwell).healthy).toBe(false);
    expect(healthAfter('bb', healthAfter('+', restartChecks(healthAfter('+bb')))).healthy).toBe(true);
  });

  it('is the same object without a change', () => {
    const well = healthAfter('+');
    expect(healthAfter('++', well)).toBe(well);
    const unwell = healthAfter('a');
    expect(healthAfter('aaa', unwell)).toBe(unwell);
  });
});
