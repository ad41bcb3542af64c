import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('logical operators', () => {
  it.each([
    ['true && true', true],
    ['true && false', false],
    ['true && true && false', false],
    ['false && 1', false],
    ['false && principal.missing', false],
    ['true && false && 1', false],
    ['false || true', true],
    ['false || false || false', false],
    ['true || 1', true],
    ['true || principal.missing', true],
    ['!true', false],
    ['!!true', true],
    ['if true then 1 else principal.missing', 1],
    ['if false then principal.missing else 2', 2],
    ['if true then "a" else 1', 'a'],
    ['principal.age == 40 && context.method == "GET"', true],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['1 && true', 'type_error: 1'],
    ['true && 1', 'type_error: 1'],
    ['true && "a" && false', 'type_error: "a"'],
    ['principal.missing && false', 'attribute_missing: principal.missing'],
    ['1 || true', 'type_error: 1'],
    ['false || 1', 'type_error: 1'],
    ['false || principal.missing || true', 'attribute_missing: principal.missing'],
    ['!1', 'type_error: 1'],
    ['!principal.missing', 'attribute_missing: principal.missing'],
    ['if 1 then true else false', 'type_error: 1'],
    ['if principal.missing then 1 else 2', 'attribute_missing: principal.missing'],
    ['if true then principal.missing else 2', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
