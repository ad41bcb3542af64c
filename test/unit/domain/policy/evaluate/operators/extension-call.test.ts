import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../support/evaluated-expression.js';

describe('functions of extensions', () => {
  it.each([
    ['ip("10.1.2.3").isInRange(ip("10.0.0.0/8"))', true],
    ['ip("11.1.2.3").isInRange(ip("10.0.0.0/8"))', false],
    ['ip("127.0.0.1").isLoopback()', true],
    ['decimal("1.5").lessThan(decimal("2.0"))', true],
    ['datetime("2024-01-01").offset(duration("1d")) == datetime("2024-01-02")', true],
    ['datetime("2024-01-02").durationSince(datetime("2024-01-01")).toHours()', 24],
    ['false && ip("bad").isIpv4()', false],
    ['true || decimal("x").lessThan(1)', true],
    ['if true then 1 else ip("bad")', 1],
  ])('takes %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['ip("bad")', 'extension_error: ip("bad")'],
    ['ip("bad").isIpv4()', 'extension_error: ip("bad")'],
    ['decimal("1.00000")', 'extension_error: decimal("1.00000")'],
    ['datetime("2024-02-30")', 'extension_error: datetime("2024-02-30")'],
    ['duration("1x")', 'extension_error: duration("1x")'],
    ['ip(1)', 'type_error: ip(1)'],
    ['"a".isIpv4()', 'type_error: "a".isIpv4()'],
    ['decimal("1.0").lessThan(1)', 'type_error: decimal("1.0").lessThan(1)'],
    ['ip("::1").isInRange(decimal("1.0"))', 'type_error: ip("::1").isInRange(decimal("1.0"))'],
    ['ip(principal.missing)', 'attribute_missing: principal.missing'],
    ['"a".isInRange(principal.missing)', 'attribute_missing: principal.missing'],
    ['true && ip("bad")', 'extension_error: ip("bad")'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
