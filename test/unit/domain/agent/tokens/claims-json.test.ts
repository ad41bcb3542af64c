import { describe, expect, it } from 'vitest';
import { claimsJson, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';

describe('claimsJson', () => {
  it('equals JSON.stringify where that is exact', () => {
    const claims = { a: [1, -2.5, true, null, 'é"\\\n\u2028'], b: {}, c: [], d: { e: { f: '' } }, '': 0 };
    expect(claimsJson(claims)).toBe(JSON.stringify(claims));
  });

  it('writes every digit of a number', () => {
    const claims = { long: 9223372036854775807n, longer: [new SpelledNumber('-18446744073709551616.50')], big: 1e300 };
    expect(claimsJson(claims)).toBe('{"long":9223372036854775807,"longer":[-18446744073709551616.50],"big":1e+300}');
  });

  it('writes a member that is named __proto__', () => {
    const claims = parseClaims('{"__proto__":{"sub":"eve"},"sub":"ann"}');
    expect(claims === null ? null : claimsJson(claims)).toBe('{"__proto__":{"sub":"eve"},"sub":"ann"}');
  });

  it('keeps every text inside its quotes', () => {
    const json = claimsJson({ 'a":1,"sub': '","sub":"eve', b: '\ud800' });
    expect(parseClaims(json)).toEqual({ 'a":1,"sub': '","sub":"eve', b: '\ud800' });
    expect(json).toContain('\\ud800');
  });
});
