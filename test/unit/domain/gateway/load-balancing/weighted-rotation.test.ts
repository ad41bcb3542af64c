import { describe, expect, it } from 'vitest';
import { nextInTurn } from '../../../../../src/domain/gateway/load-balancing/weighted-rotation.js';
import { picks, plainTargets } from '../../../../support/gateway/balanced-targets.js';

describe('nextInTurn', () => {
  it('gives equal targets turns in order', () => {
    const targets = plainTargets(1, 1, 1);
    const turns = Array.from({ length: 6 }, () => targets.indexOf(nextInTurn(targets) as (typeof targets)[number]));
    expect(turns).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('spreads the turns of a heavy target', () => {
    const targets = plainTargets(5, 1, 1);
    const turns = Array.from({ length: 7 }, () => targets.indexOf(nextInTurn(targets) as (typeof targets)[number]));
    expect(turns).toEqual([0, 0, 1, 0, 2, 0, 0]);
  });

  it('does not flood a returning target', () => {
    const targets = plainTargets(1, 1, 1);
    const [first, second] = targets as [(typeof targets)[number], (typeof targets)[number]];
    for (let turn = 0; turn < 100; turn += 1) nextInTurn([first, second]);
    expect(picks(targets, 30, () => nextInTurn(targets))).toEqual([10, 10, 10]);
  });

  it('returns null without candidates', () => {
    expect(nextInTurn([])).toBeNull();
  });
});
