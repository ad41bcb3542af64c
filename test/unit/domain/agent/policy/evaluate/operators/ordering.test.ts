import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('<, <=, > and >=', () => {
  it.each([
    ['1 < 2', true],
    ['2 < 1', false],
    ['1 < 1', false],
    ['1 <= 1', true],
    ['2 <= 1', false],
    ['2 > 1', true],
    ['1 > 1', false],
    ['1 >= 1', true],
    ['1 >= 2', false],
    ['principal.age >= 18', true],
    ['-9223372036854775808 < 9223372036854775807', true],
    ['9223372036854775806 < 9223372036854775807', true],
    ['9007199254740993 > 9007199254740992', true],
    ['datetime("2024-01-01") < datetime("2024-01-02")', true],
    ['duration("1s") >= duration("1000ms")', true],
    ['duration("2h") > duration("3h")', false],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['1 < "a"', 'type_error: "a"'],
    ['"a" < 1', 'type_error: "a"'],
    ['"a" < "b"', 'type_error: "a"'],
    ['true > false', 'type_error: true'],
    ['1 < duration("1s")', 'type_error: duration("1s")'],
    ['duration("1s") <= 1', 'type_error: duration("1s")'],
    ['datetime("2024-01-01") < duration("1s")', 'type_error: duration("1s")'],
    ['"a" >= duration("1s")', 'type_error: "a"'],
    ['decimal("1.0") < decimal("2.0")', 'type_error: decimal("1.0")'],
    ['ip("::1") < ip("::2")', 'type_error: ip("::1")'],
    ['principal < principal', 'type_error: principal'],
    ['"a" < principal.missing', 'attribute_missing: principal.missing'],
    ['principal.missing < "a"', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
