import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCedarDecimal } from '../../../../../../src/domain/agent/policy/extensions/decimal.js';
import { extensionFunction } from '../../../../../../src/domain/agent/policy/extensions/extension-functions.js';
import type { DecimalValue } from '../../../../../../src/domain/agent/policy/values/value.js';
import { cedarConditions, cedarString } from '../../../../../support/agent/cedar-conditions.js';
import { many, nearMisses } from '../../../../../support/shared/near-misses.js';

const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
const whole = fc.oneof(
  digits(4),
  digits(17),
  fc.constantFrom('922337203685477', '922337203685478', '00922337203685477'),
);
const fraction = fc.oneof(digits(4), fc.constantFrom('5807', '5808', '5809', '0', '0000'));
const valid = fc
  .tuple(fc.constantFrom('', '-'), whole, fraction)
  .map(([sign, before, after]) => `${sign}${before}.${after}`);
const text = nearMisses(valid, '0123456789.-+ e٣');

/** Ten-thousandths as text, made without the code under test. */
const canonical = (units: bigint): string => {
  const padded = String(units < 0n ? -units : units).padStart(5, '0');
  return `${units < 0n ? '-' : ''}${padded.slice(0, -4)}.${padded.slice(-4)}`;
};

describe('decimals compared with the official implementation', () => {
  it('parse the same texts to the same values', () => {
    fc.assert(
      fc.property(many(text), (texts) => {
        const parsed = texts.map(parseCedarDecimal);
        const conditions = texts.map((given, index) => {
          const value = parsed[index];
          const other = value ? canonical(BigInt(value.units)) : '0.0';
          return `decimal(${cedarString(given)}) == decimal("${other}")`;
        });
        expect(parsed.map((value) => (value === null ? 'error' : 'true'))).toEqual(cedarConditions(conditions));
      }),
      { numRuns: 15 },
    );
  });

  it('compare equally', () => {
    const decimals = valid.map(parseCedarDecimal).filter((value): value is DecimalValue => value !== null);
    const method = fc.constantFrom('lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual');
    const pair = fc.tuple(decimals, decimals, fc.boolean()).map(([a, b, same]) => [a, same ? a : b] as const);
    fc.assert(
      fc.property(many(fc.tuple(pair, method)), (comparisons) => {
        const literal = (value: DecimalValue): string => `decimal("${canonical(BigInt(value.units))}")`;
        const expected = cedarConditions(comparisons.map(([[a, b], name]) => `${literal(a)}.${name}(${literal(b)})`));
        expect(comparisons.map(([[a, b], name]) => String(extensionFunction(name)?.([a, b])))).toEqual(expected);
      }),
      { numRuns: 8 },
    );
  });
});
