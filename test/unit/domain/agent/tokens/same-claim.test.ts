import { describe, expect, it } from 'vitest';
import { type ClaimValue, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { sameClaim } from '../../../../../src/domain/agent/tokens/same-claim.js';

const different: readonly ClaimValue[] = [
  null,
  false,
  0,
  1,
  9007199254740993n,
  '',
  '1',
  'null',
  [],
  [1],
  [1, 2],
  [2, 1],
  [[1, 2]],
  {},
  { a: 1 },
  { a: null },
  { b: 1 },
  { a: 1, b: 1 },
  { length: 0 },
  { 0: 1 },
  { text: '1.00000000000000000000001' },
  new SpelledNumber('1.00000000000000000000001'),
  new SpelledNumber('1.00000000000000000000002'),
];

describe('sameClaim', () => {
  it('tells values of all kinds apart, both ways', () => {
    different.forEach((one, first) => {
      different.forEach((other, second) => {
        expect([one, other, sameClaim(one, other)]).toEqual([one, other, first === second]);
      });
    });
  });

  it('does not care for the order of members', () => {
    expect(sameClaim({ a: 1, b: [{ c: 'x', d: null }] }, { b: [{ d: null, c: 'x' }], a: 1 })).toBe(true);
  });

  it('finds the same where nothing but the spelling is kept', () => {
    expect(sameClaim([new SpelledNumber('1e-400')], [new SpelledNumber('1e-400')])).toBe(true);
  });

  it('takes no member of every object for one of its own', () => {
    expect(sameClaim({ constructor: null }, { other: null })).toBe(false);
    expect(sameClaim({ toString: {} }, {})).toBe(false);
  });
});
