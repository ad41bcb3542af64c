import { expect, it } from 'vitest';
import { withVary } from '../../../../src/domain/http/vary-field.js';

it.each([
  [[], ['Vary', 'Accept']],
  [
    ['Vary', 'Origin'],
    ['Vary', 'Origin, Accept'],
  ],
  [
    ['Vary', 'Origin', 'X-A', 'a', 'vary', 'Cookie'],
    ['Vary', 'Origin, Cookie, Accept', 'X-A', 'a'],
  ],
  [
    ['Vary', 'origin, ACCEPT'],
    ['Vary', 'origin, ACCEPT'],
  ],
  [
    ['Vary', '*'],
    ['Vary', '*'],
  ],
])('Vary of %j has Accept once', (before, after) => {
  expect(withVary(before, 'Accept')).toEqual(after);
});
