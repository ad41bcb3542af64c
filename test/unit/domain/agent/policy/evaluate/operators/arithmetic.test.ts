import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('arithmetic', () => {
  it.each([
    ['1 + 2', 3],
    ['1 - 2 - 3', -4],
    ['2 * 3 * 4', 24],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['principal.age - 1', 39],
    ['-principal.age', -40],
    ['- -5', 5],
    ['0 * -1 == 0', true],
    ['9007199254740991 + 1 == 9007199254740992', true],
    ['9223372036854775806 + 1 == 9223372036854775807', true],
    ['-9223372036854775807 - 1 == -9223372036854775808', true],
    ['3037000500 * 3037000499 == 9223372033963249500', true],
    ['-9223372036854775808 + 9223372036854775807', -1],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['9223372036854775807 + 1', 'overflow: 9223372036854775807 + 1'],
    ['-9223372036854775808 - 1', 'overflow: -9223372036854775808 - 1'],
    ['3037000500 * 3037000500', 'overflow: 3037000500 * 3037000500'],
    ['9223372036854775807 + 1 - 1', 'overflow: 9223372036854775807 + 1'],
    ['-(-9223372036854775808)', 'overflow: -(-9223372036854775808)'],
    ['9223372036854775807 * 2 * 0', 'overflow: 9223372036854775807 * 2'],
    ['1 + "a"', 'type_error: "a"'],
    ['"a" + 1', 'type_error: "a"'],
    ['"a" + "b"', 'type_error: "a"'],
    ['1 * true', 'type_error: true'],
    ['-"a"', 'type_error: "a"'],
    ['duration("1s") + duration("1s")', 'type_error: duration("1s")'],
    ['"a" + principal.missing', 'attribute_missing: principal.missing'],
    ['1 + "a" + principal.missing', 'type_error: "a"'],
    ['principal.missing + "a"', 'attribute_missing: principal.missing'],
    ['-principal.missing', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
