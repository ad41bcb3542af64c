import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextInTurn } from '../../../../../src/domain/gateway/load-balancing/weighted-rotation.js';
import { picks, plainTargets } from '../../../../support/gateway/balanced-targets.js';

const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });

it('gives each target turns equal to its weight in a full cycle', () => {
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 3 }), (each, rounds) => {
      const targets = plainTargets(...each);
      const total = each.reduce((sum, weight) => sum + weight, 0);
      const counts = picks(targets, total * rounds, () => nextInTurn(targets));
      expect(counts).toEqual(each.map((weight) => weight * rounds));
    }),
    { numRuns: 200 },
  );
});

it('keeps every credit within the sum of weights, for any candidates', () => {
  fc.assert(
    fc.property(weights, fc.array(fc.nat({ max: 255 }), { maxLength: 100 }), (each, masks) => {
      const targets = plainTargets(...each);
      const total = each.reduce((sum, weight) => sum + weight, 0);
      for (const mask of masks) {
        const candidates = targets.filter((_, index) => (mask & (1 << index)) !== 0);
        const next = nextInTurn(candidates);
        expect(next === null).toBe(candidates.length === 0);
        if (next !== null) expect(candidates).toContain(next);
      }
      expect(targets.reduce((sum, { credit }) => sum + credit, 0)).toBe(0);
      for (const { credit } of targets) expect(Math.abs(credit)).toBeLessThanOrEqual(total * targets.length);
    }),
    { numRuns: 200 },
  );
});
