import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashedTo, textHash } from '../../../../../src/domain/gateway/load-balancing/consistent-hash.js';
import { plainTargets } from '../../../../support/gateway/balanced-targets.js';

const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 10 });
const texts = fc.array(fc.string(), { minLength: 1, maxLength: 50 });

it('moves only the keys of a removed target', () => {
  fc.assert(
    fc.property(weights, fc.nat(), texts, (each, which, keys) => {
      const targets = plainTargets(...each);
      const gone = targets[which % targets.length];
      const rest = targets.filter((target) => target !== gone);
      for (const key of keys.map(textHash)) {
        const before = hashedTo(targets, key);
        if (before !== gone) expect(hashedTo(rest, key)).toBe(before);
        else expect(rest).toContain(hashedTo(rest, key));
      }
    }),
    { numRuns: 300 },
  );
});

it('is independent of the order of targets', () => {
  fc.assert(
    fc.property(weights, texts, (each, keys) => {
      const targets = plainTargets(...each);
      const turned = [...targets].reverse();
      for (const key of keys.map(textHash)) expect(hashedTo(turned, key)).toBe(hashedTo(targets, key));
    }),
    { numRuns: 200 },
  );
});
