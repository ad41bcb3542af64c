import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leastLoaded } from '../../../../../src/domain/gateway/load-balancing/least-connections.js';
import { powerOfTwoChoices } from '../../../../../src/domain/gateway/load-balancing/power-of-two-choices.js';
import { type PlainTarget, plainTargets } from '../../../../support/gateway/balanced-targets.js';

const loaded = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 50 })), { minLength: 1, maxLength: 8 })
  .map((pairs) =>
    plainTargets(...pairs.map(([weight]) => weight)).map((target, index) => ({
      ...target,
      active: (pairs[index] as [number, number])[1],
    })),
  );

const load = ({ active, weight }: PlainTarget): number => active / weight;

it('never selects a target with a higher load than another', () => {
  fc.assert(
    fc.property(loaded, (targets) => {
      const least = leastLoaded(targets) as PlainTarget;
      expect(load(least)).toBe(Math.min(...targets.map(load)));
    }),
    { numRuns: 500 },
  );
});

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('never selects the single most loaded target of two choices', () => {
  fc.assert(
    fc.property(loaded, fraction, fraction, (targets, first, second) => {
      const picked = powerOfTwoChoices(targets, first, second) as PlainTarget;
      expect(targets).toContain(picked);
      const most = Math.max(...targets.map(load));
      const busiest = targets.filter((target) => load(target) === most);
      if (targets.length > 1 && busiest.length === 1) expect(picked).not.toBe(busiest[0]);
    }),
    { numRuns: 1000 },
  );
});
