import { describe, expect, it } from 'vitest';
import { hashedTo, textHash } from '../../../../../src/domain/gateway/load-balancing/consistent-hash.js';
import { picks, plainTargets } from '../../../../support/gateway/balanced-targets.js';

/** Realistic keys: adjacent client addresses. */
const keys = Array.from({ length: 20_000 }, (_, index) => textHash(`10.1.${index >> 8}.${index & 255}`));

const spread = (targets: ReturnType<typeof plainTargets>): number[] => {
  let next = 0;
  return picks(targets, keys.length, () => {
    next += 1;
    return hashedTo(targets, keys[next - 1] as number);
  });
};

describe('hashedTo', () => {
  it('spreads keys over equal targets within a tenth', () => {
    for (const count of [2, 3, 8, 16]) {
      const fair = keys.length / count;
      for (const own of spread(plainTargets(...new Array<number>(count).fill(1)))) {
        expect(Math.abs(own - fair) / fair).toBeLessThan(0.1);
      }
    }
  });

  it('assigns keys by weight', () => {
    const [heavy = 0, light = 0, other = 0] = spread(plainTargets(6, 1, 3));
    expect(Math.abs(heavy / keys.length - 0.6)).toBeLessThan(0.02);
    expect(Math.abs(light / keys.length - 0.1)).toBeLessThan(0.02);
    expect(Math.abs(other / keys.length - 0.3)).toBeLessThan(0.02);
  });

  it('returns null without candidates', () => {
    expect(hashedTo([], 1)).toBeNull();
  });
});
