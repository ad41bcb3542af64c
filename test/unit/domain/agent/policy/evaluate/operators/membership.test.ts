import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from '../../../../../../support/agent/evaluated-expression.js';

describe('in and is', () => {
  it.each([
    ['principal in User::"alice"', true],
    ['principal in Role::"readers"', true],
    ['principal in Role::"staff"', true],
    ['principal in Role::"others"', false],
    ['principal in User::"readers"', false],
    ['Role::"staff" in principal', false],
    ['User::"nobody" in User::"nobody"', true],
    ['User::"nobody" in Role::"staff"', false],
    ['principal in []', false],
    ['principal in [Role::"others", Role::"staff"]', true],
    ['principal in [Role::"others"]', false],
    ['User::"nobody" in [User::"nobody"]', true],
    ['action in [Action::"GET", Action::"HEAD"]', true],
    ['principal in principal.self', true],
    ['principal in [principal.self]', true],
    ['principal in [R::"1", R::"2", R::"3", R::"4", R::"5", R::"6", R::"7", R::"8", R::"9", Role::"staff"]', true],
    ['principal in [R::"1", R::"2", R::"3", R::"4", R::"5", R::"6", R::"7", R::"8", R::"9", User::"alice"]', true],
    ['principal in [R::"1", R::"2", R::"3", R::"4", R::"5", R::"6", R::"7", R::"8", R::"9"]', false],
    ['principal is User', true],
    ['principal is Role', false],
    ['User::"nobody" is User', true],
    ['principal is User in Role::"staff"', true],
    ['principal is User in [Role::"others", Role::"staff"]', true],
    ['principal is User in Role::"others"', false],
    ['principal is Role in principal.missing', false],
    ['principal is Role in 1', false],
    ['A::B::"x" is A::B', true],
    ['A::B::"x" is B', false],
  ])('evaluates %s to %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    ['1 in principal', 'type_error: 1'],
    ['principal in 1', 'type_error: 1'],
    ['1 in 2', 'type_error: 1'],
    ['1 in []', 'type_error: 1'],
    ['principal in {}', 'type_error: {}'],
    ['principal in [principal, 1]', 'type_error: [principal, 1]'],
    ['principal in [[principal]]', 'type_error: [[principal]]'],
    ['1 in principal.missing', 'attribute_missing: principal.missing'],
    ['principal.missing in 1', 'attribute_missing: principal.missing'],
    ['1 is User', 'type_error: 1'],
    ['principal.missing is User', 'attribute_missing: principal.missing'],
    ['principal is User in 1', 'type_error: 1'],
    ['principal is User in principal.missing', 'attribute_missing: principal.missing'],
    ['1 is User in principal.missing', 'type_error: 1'],
  ])('fails on %s with %s', (text, failure) => {
    expect(failureOf(text)).toBe(failure);
  });
});
