import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('startsWith, endsWith and contains of the extended dialect', () => {
  it.each([
    ['resource.path.startsWith("/do")', true],
    ['resource.path.startsWith("docs")', false],
    ['"abc".startsWith("")', true],
    ['resource.path.endsWith("cs")', true],
    ['resource.path.endsWith("/do")', false],
    ['"abc".contains("b")', true],
    ['"abc".contains("d")', false],
    ['principal.name.contains(context.method)', false],
    ['["abc"].contains("b")', false],
    ['context.roles.contains("reader")', true],
    ['[1].contains(1)', true],
    ['"100%*".contains("%*")', true],
    ['[].isEmpty()', true],
    ['[1].containsAll([1])', true],
    ['principal.hasTag("team")', true],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text, 'extended')).toBe(value);
  });

  it.each([
    ['1.startsWith("a")', 'type_error: 1'],
    ['"a".startsWith(1)', 'type_error: 1'],
    ['1.startsWith(2)', 'type_error: 1'],
    ['[].endsWith("a")', 'type_error: []'],
    ['"a".endsWith(true)', 'type_error: true'],
    ['"a".contains(1)', 'type_error: 1'],
    ['1.contains("a")', 'type_error: 1'],
    ['principal.contains("a")', 'type_error: principal'],
    ['principal.missing.startsWith(1)', 'attribute_missing: principal.missing'],
    ['1.endsWith(principal.missing)', 'attribute_missing: principal.missing'],
    ['1.contains(principal.missing)', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text, 'extended')).toBe(failure);
  });
});
