import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../support/evaluated-expression.js';

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
  ])('takes %s to %s', (text, value) => {
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
});
