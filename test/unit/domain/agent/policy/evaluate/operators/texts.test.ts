import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('like', () => {
  it.each([
    ['"/api/users" like "/api/*"', true],
    ['"/apis" like "/api/*"', false],
    ['resource.path like "/docs"', true],
    ['resource.path like "*c*"', true],
    ['"a*b" like "a\\*b"', true],
    ['"axb" like "a\\*b"', false],
    ['"" like "*"', true],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['1 like "*"', 'type_error: 1'],
    ['principal like "*"', 'type_error: principal'],
    ['principal.missing like "*"', 'attribute_missing: principal.missing'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
