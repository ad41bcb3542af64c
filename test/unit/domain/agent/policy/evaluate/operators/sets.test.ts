import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('set methods', () => {
  it.each([
    ['[1, 2].contains(1)', true],
    ['[1, 2].contains(3)', false],
    ['[].contains(1)', false],
    ['[1, "a"].contains("a")', true],
    ['["1"].contains(1)', false],
    ['[[1, 2]].contains([2, 1])', true],
    ['[{a: 1}].contains({a: 1})', true],
    ['[principal].contains(User::"alice")', true],
    ['context.roles.contains("reader")', true],
    ['context.roles.contains("admin")', false],
    ['["GET", "HEAD"].contains(context.method)', true],
    ['context.roles.contains(principal.name)', false],
    ['[decimal("1.0")].contains(decimal("1.00"))', true],
    ['[true].contains("true")', false],
    ['[1, 2, 3].containsAll([3, 1])', true],
    ['[1, 2].containsAll([1, 3])', false],
    ['[1].containsAll([1, 1, 1])', true],
    ['[1].containsAll([])', true],
    ['[].containsAll([])', true],
    ['[].containsAll([1])', false],
    ['context.roles.containsAll(["reader", "writer"])', true],
    ['[1, 2].containsAny([2, 3])', true],
    ['[1].containsAny([2])', false],
    ['[].containsAny([])', false],
    ['[1, 2, 3].containsAny([3])', true],
    ['context.roles.containsAny(["admin", "writer"])', true],
    ['[].isEmpty()', true],
    ['[1].isEmpty()', false],
    ['context.roles.isEmpty()', false],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['1.contains(1)', 'type_error: 1'],
    ['"abc".contains("a")', 'type_error: "abc"'],
    ['{}.contains("a")', 'type_error: {}'],
    ['"abc".contains(principal.missing)', 'attribute_missing: principal.missing'],
    ['principal.missing.contains(1)', 'attribute_missing: principal.missing'],
    ['[ip("bad")].contains(1)', 'extension_error: ip("bad")'],
    ['[1].contains(ip("bad"))', 'extension_error: ip("bad")'],
    ['1.containsAll([])', 'type_error: 1'],
    ['[].containsAll(1)', 'type_error: 1'],
    ['1.containsAny(2)', 'type_error: 1'],
    ['[].containsAny("a")', 'type_error: "a"'],
    ['1.containsAny(principal.missing)', 'attribute_missing: principal.missing'],
    ['principal.missing.containsAll(1)', 'attribute_missing: principal.missing'],
    ['1.isEmpty()', 'type_error: 1'],
    ['"".isEmpty()', 'type_error: ""'],
    ['principal.missing.isEmpty()', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
