import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiteralAutomaton } from '../../../../../src/domain/gateway/routing/pattern-group.js';

const word = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength, maxLength });

describe('LiteralAutomaton', () => {
  it('finds every occurrence of every literal', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word(1, 5), { maxLength: 15 }), word(0, 20), (literals, text) => {
        const found: number[] = [];
        new LiteralAutomaton(literals).scan(text, (literal) => found.push(literal));
        const expected = literals.flatMap((literal, index) =>
          [...text].flatMap((_, at) => (text.startsWith(literal, at) ? [index] : [])),
        );
        expect(found.toSorted((left, right) => left - right)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
