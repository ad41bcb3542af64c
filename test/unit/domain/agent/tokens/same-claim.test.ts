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
  it('distinguishes values of all kinds, in both directions', () => {
    different.forEach((one, first) => {
      different.forEach((other, second) => {
        expect([one, other, sameClaim(one, other)]).toEqual([one, other, first === second]);
      });
    });
  });

  it('ignores the order of members', () => {
    expect(sameClaim({ a: 1, b: [{ c: 'x', d: null }] }, { b: [{ d: null, c: 'x' }], a: 1 })).toBe(true);
  });

  it('treats different spellings as equal if only the text is kept', () => {
    expect(sameClaim([new SpelledNumber('1e-400')], [new SpelledNumber('1e-400')])).toBe(true);
  });

  it('ignores members inherited from Object', () => {
    expect(sameClaim({ constructor: null }, { other: null })).toBe(false);
    expect(sameClaim({ toString: {} }, {})).toBe(false);
  });
});
