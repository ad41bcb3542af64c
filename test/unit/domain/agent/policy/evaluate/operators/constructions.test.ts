import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('sets and records', () => {
  it.each([
    ['[1, 1, 1] == [1]', true],
    ['[1, "1"] == ["1", 1]', true],
    ['[[], {}, []] == [{}, []]', true],
    ['[principal.age] == [40]', true],
    ['{a: principal.age}.a', 40],
    ['{"a b": 1}["a b"]', 1],
    ['{a: 1, b: 2} == {b: 2, a: 1}', true],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['[1, principal.missing, 1 + "a"] == 1', 'attribute_missing: principal.missing'],
    ['{a: principal.missing} has a', 'attribute_missing: principal.missing'],
    ['{b: principal.missing, a: 1 + "x"} == 1', 'type_error: "x"'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
