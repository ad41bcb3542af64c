import { describe, expect, it } from 'vitest';
import { powerOfTwoChoices } from '../../../../../src/domain/gateway/load-balancing/power-of-two-choices.js';
import { picks, plainTargets } from '../../../../support/gateway/balanced-targets.js';

describe('powerOfTwoChoices', () => {
  it('draws by weight without load', () => {
    const targets = plainTargets(3, 1);
    let step = 0;
    const counts = picks(targets, 400, () => {
      step += 1;
      return powerOfTwoChoices(targets, step / 401, 0.5);
    });
    expect(counts).toEqual([300, 100]);
  });

  it('draws two different targets', () => {
    const targets = plainTargets(1, 1, 1);
    Object.assign(targets[0] as object, { active: 5 });
    for (const second of [0, 0.3, 0.7, 0.999]) {
      expect(powerOfTwoChoices(targets, 0, second)).not.toBe(targets[0]);
    }
  });

  it('finds the last target at the upper bound', () => {
    const justBelowOne = 1 - 2 ** -53;
    expect(powerOfTwoChoices(plainTargets(0.1, 0.2, 0.3), justBelowOne, justBelowOne)).not.toBeNull();
  });

  it('returns the only candidate, or null', () => {
    const only = plainTargets(1);
    expect(powerOfTwoChoices(only, 0.9, 0.9)).toBe(only[0]);
    expect(powerOfTwoChoices([], 0.5, 0.5)).toBeNull();
  });
});
