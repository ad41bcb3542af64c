import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('== and !=', () => {
  it.each([
    ['1 == 1', true],
    ['1 == 2', false],
    ['"a" == "a"', true],
    ['1 == "1"', false],
    ['true == 1', false],
    ['9223372036854775807 == 9223372036854775807', true],
    ['9223372036854775807 == 9223372036854775806', false],
    ['User::"alice" == principal', true],
    ['principal == User::"bob"', false],
    ['principal == Role::"alice"', false],
    ['principal == "alice"', false],
    ['User::"nobody" == User::"nobody"', true],
    ['[1, 2] == [2, 1, 1]', true],
    ['[1] == [1, 2]', false],
    ['[] == []', true],
    ['{a: 1, b: [2]} == {b: [2], a: 1}', true],
    ['{a: 1} == {}', false],
    ['[] == {}', false],
    ['context.roles == ["writer", "reader"]', true],
    ['context.method == "GET"', true],
    ['"POST" == context.method', false],
    ['context.method == 1', false],
    ['ip("10.0.0.1") == ip("10.0.0.1/32")', true],
    ['decimal("1.0") == decimal("1.0000")', true],
    ['duration("1m") == duration("60s")', true],
    ['datetime("2024-01-01") == datetime("2024-01-01T00:00:00Z")', true],
    ['duration("1s") == 1000', false],
    ['1 != 1', false],
    ['1 != "1"', true],
    ['context.method != "POST"', true],
    ['principal != User::"alice"', false],
    ['[1] != [2]', true],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['principal.missing == 1', 'attribute_missing: principal.missing'],
    ['1 == principal.missing', 'attribute_missing: principal.missing'],
    ['"a" == principal.missing', 'attribute_missing: principal.missing'],
    ['principal == context.missing', 'attribute_missing: context.missing'],
    ['principal.missing == context.missing', 'attribute_missing: principal.missing'],
    ['1 != principal.missing', 'attribute_missing: principal.missing'],
    ['ip("bad") == principal.missing', 'extension_error: ip("bad")'],
    ['principal.missing == ip("bad")', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
