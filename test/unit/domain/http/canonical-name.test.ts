import { describe, expect, it } from 'vitest';
import { canonicalName } from '../../../../src/domain/http/canonical-name.js';

describe('canonicalName', () => {
  it.each([
    ['Host', 'host'],
    ['X-User-Id', 'x-user-id'],
    ['X_A', 'x-a'],
    ['_a', '-a'],
    ['a_', 'a-'],
    ['X__A', 'x--a'],
    ["a!#$%&'*+.^_`|~9", 'a--------------9'],
    ['', ''],
  ])('reads %s as %s', (name, expected) => {
    expect(canonicalName(name)).toBe(expected);
  });
});
