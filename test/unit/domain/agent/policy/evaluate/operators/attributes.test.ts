import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../../../../../src/domain/agent/policy/evaluate/compile-expression.js';
import { isError } from '../../../../../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { exampleRequest, failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';
import { oneExpression } from '../../../../../../support/agent/parsed-policy.js';

const messageOf = (text: string): string => {
  const outcome = compileExpression(oneExpression(text), 'cedar')(exampleRequest);
  if (!isError(outcome)) throw new Error('there is a value');
  return outcome.message;
};

describe('attributes and has', () => {
  it.each([
    ['principal.age', 40],
    ['principal["age"]', 40],
    ['principal.address.city', 'Ulm'],
    ['context.address.city', 'Ulm'],
    ['{a: {b: 1}}.a.b', 1],
    ['principal.self.self.age', 40],
    ['resource.path', '/docs'],
    ['principal has age', true],
    ['principal has missing', false],
    ['principal has "age"', true],
    ['context has method', true],
    ['context has missing', false],
    ['{} has a', false],
    ['{a: 1} has a', true],
    ['User::"nobody" has age', false],
    ['action has anything', false],
    ['principal has address.city', true],
    ['principal has address.street', false],
    ['principal has missing.city', false],
    ['principal has self.self.address.city', true],
    ['context has friend.age', false],
    ['context has address.city', true],
    ['{a: {b: {c: 1}}} has a.b.c', true],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['principal.missing', 'attribute_missing: principal.missing'],
    ['context.missing', 'attribute_missing: context.missing'],
    ['context.address.street', 'attribute_missing: context.address.street'],
    ['context.missing.more', 'attribute_missing: context.missing'],
    ['User::"nobody".age', 'entity_missing: User::"nobody"'],
    ['context.friend.age', 'entity_missing: context.friend'],
    ['action.anything', 'entity_missing: action'],
    ['"text".a', 'type_error: "text"'],
    ['1["a"]', 'type_error: 1'],
    ['[].a', 'type_error: []'],
    ['ip("::1").a', 'type_error: ip("::1")'],
    ['principal.name.first', 'type_error: principal.name'],
    ['1 has a', 'type_error: 1'],
    ['"text" has a', 'type_error: "text"'],
    ['[] has a', 'type_error: []'],
    ['decimal("1.0") has a', 'type_error: decimal("1.0")'],
    ['principal.missing has a', 'attribute_missing: principal.missing'],
    ['principal has age.a', 'type_error: principal'],
    ['principal has address.city.a', 'type_error: principal'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });

  it('shorten and escape attribute names in messages', () => {
    const long = 'x'.repeat(200_000);
    const messages = [
      `principal["\u202e\u2028\u009b${long}"]`,
      `context["\u202e\u2028\u009b${long}"]`,
      'context["\\n\\u{1b}[2J\\u{200b}\\"\\\\"]',
    ].map(messageOf);
    expect(messages[0]).toMatch(
      /^this entity of type User has no attribute "\\u\{202e\}\\u\{2028\}\\u\{9b\}x+"\.\.\.$/,
    );
    expect(messages[1]).toMatch(/^this record has no attribute "\\u\{202e\}\\u\{2028\}\\u\{9b\}x+"\.\.\.$/);
    expect(messages[2]).toBe('this record has no attribute "\\u{a}\\u{1b}[2J\\u{200b}\\"\\\\"');
    for (const message of messages) expect(message.length).toBeLessThan(300);
  });

  it('shorten entity types in messages', () => {
    const type = 'T'.repeat(200_000);
    for (const text of [`${type}::"a".b`, `${type}::"a".getTag("t")`, `${type}::"a" + 1`, `decimal(${type}::"a")`]) {
      expect(messageOf(text).length, text.slice(-20)).toBeLessThan(300);
    }
  });
});
