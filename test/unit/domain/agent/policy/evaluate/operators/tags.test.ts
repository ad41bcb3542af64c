import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('hasTag and getTag', () => {
  it.each([
    ['principal.hasTag("team")', true],
    ['principal.hasTag("age")', false],
    ['principal.hasTag(principal.name)', false],
    ['User::"nobody".hasTag("team")', false],
    ['principal.getTag("team")', 'blue'],
    ['principal.self.getTag("team")', 'blue'],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['principal.getTag("age")', 'tag_missing: principal.getTag("age")'],
    ['User::"nobody".getTag("team")', 'entity_missing: User::"nobody"'],
    ['principal.hasTag(1)', 'type_error: 1'],
    ['principal.getTag(1)', 'type_error: 1'],
    ['User::"nobody".hasTag(1)', 'type_error: 1'],
    ['User::"nobody".getTag(1)', 'type_error: 1'],
    ['1.hasTag("team")', 'type_error: 1'],
    ['"a".getTag("team")', 'type_error: "a"'],
    ['{}.hasTag(2)', 'type_error: {}'],
    ['1.hasTag(principal.missing)', 'attribute_missing: principal.missing'],
    ['context.missing.hasTag(principal.missing)', 'attribute_missing: context.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
