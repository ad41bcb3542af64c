import { describe, expect, it } from 'vitest';
import { leastLoaded } from '../../../../../src/domain/gateway/load-balancing/least-connections.js';
import { picks, plainTargets } from '../../../../support/gateway/balanced-targets.js';

describe('leastLoaded', () => {
  it('selects the target with the lowest load', () => {
    const targets = plainTargets(1, 1, 1);
    [3, 1, 2].forEach((active, index) => Object.assign(targets[index] as object, { active }));
    expect(leastLoaded(targets)?.name).toBe('10.0.0.2:80');
  });

  it('relates load to weight', () => {
    const targets = plainTargets(2, 1);
    Object.assign(targets[0] as object, { active: 3 });
    Object.assign(targets[1] as object, { active: 2 });
    expect(leastLoaded(targets)?.name).toBe('10.0.0.1:80');
  });

  it('rotates equal targets by weight', () => {
    const targets = plainTargets(3, 1, 1);
    Object.assign(targets[2] as object, { active: 1 });
    expect(picks(targets, 40, () => leastLoaded(targets))).toEqual([30, 10, 0]);
  });

  it('fills targets by weight during long requests', () => {
    const targets = plainTargets(3, 1);
    const counts = picks(targets, 40, () => {
      const target = leastLoaded(targets);
      if (target !== null) target.active += 1;
      return target;
    });
    expect(counts).toEqual([30, 10]);
  });

  it('returns null without candidates', () => {
    expect(leastLoaded([])).toBeNull();
  });
});
