import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likeMatcher } from '../../../../../../src/domain/agent/policy/like/like-matcher.js';
import type { LikePattern } from '../../../../../../src/domain/agent/policy/syntax-tree.js';
import { cedarConditions, cedarString } from '../../../../../support/agent/cedar-conditions.js';

const star = { kind: 'any-text' } as const;
const characters = fc.constantFrom('a', 'a', 'a', 'b', '*', '😀', '\\');
const piece = fc.string({ unit: characters, maxLength: 3 });
const pattern: fc.Arbitrary<LikePattern> = fc.array(fc.oneof(piece, fc.constant(star)), { maxLength: 7 });
const text = fc.string({ unit: characters, maxLength: 12 });

/** Texts that often match: each star is given some text. */
const pair = fc.oneof(
  fc.tuple(pattern, text),
  fc.tuple(pattern, fc.array(piece, { minLength: 7, maxLength: 7 })).map(([like, fillings]) => {
    const filled = like.map((part, index) => (typeof part === 'string' ? part : fillings[index])).join('');
    return [like, filled] as const;
  }),
);

/** Which places of the text each part of the pattern can end at, character by character. */
const naive = (like: LikePattern, given: string): boolean => {
  const whole = Array.from(given);
  let ends = new Set([0]);
  for (const part of like) {
    const next = new Set<number>();
    for (const end of ends) {
      if (typeof part !== 'string') for (let place = end; place <= whole.length; place += 1) next.add(place);
      else if (whole.slice(end, end + Array.from(part).length).join('') === part)
        next.add(end + Array.from(part).length);
    }
    ends = next;
  }
  return ends.has(whole.length);
};

const asCedar = (like: LikePattern): string =>
  `"${like.map((part) => (typeof part === 'string' ? cedarString(part).slice(1, -1).replaceAll('*', '\\*') : '*')).join('')}"`;

describe('likeMatcher', () => {
  it('agrees with a backtracking matcher', () => {
    fc.assert(
      fc.property(pair, ([like, given]) => {
        expect(likeMatcher(like)(given)).toBe(naive(like, given));
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with the official implementation', () => {
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 200, size: 'max' }), (pairs) => {
        const expected = cedarConditions(pairs.map(([like, given]) => `${cedarString(given)} like ${asCedar(like)}`));
        expect(pairs.map(([like, given]) => String(likeMatcher(like)(given)))).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});
