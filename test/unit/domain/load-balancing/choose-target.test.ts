import { describe, expect, it } from 'vitest';
import { chooseTarget, noTargetYet } from '../../../../src/domain/load-balancing/choose-target.js';

describe('chooseTarget', () => {
  it('gives each target its turn', () => {
    const turns: number[] = [];
    let last = noTargetYet;
    for (let turn = 0; turn < 7; turn += 1) {
      last = chooseTarget(last, 3);
      turns.push(last);
    }
    expect(turns).toEqual([0, 1, 2, 0, 1, 2, 0]);
  });

  it('stays within the targets when there are fewer of them', () => {
    expect(chooseTarget(7, 3)).toBeLessThan(3);
    expect(chooseTarget(7, 1)).toBe(0);
  });

  it('has none to give where there is none', () => {
    expect(chooseTarget(2, 0)).toBe(noTargetYet);
  });
});
