import { expect, it } from 'vitest';
import { isOverlongMethod, loggedMethod, longMethods } from '../../../../src/domain/http/request-method.js';

const [usual, long] = ['M'.repeat(32), 'M'.repeat(33)];

it('keeps only the methods of routes that are longer than others may be', () => {
  expect([...longMethods(['GET', usual, long, long])]).toEqual([long]);
});

it.each([
  ['GET', false],
  [usual, false],
  [long, false],
  [long.toLowerCase(), true],
  [`${long}M`, true],
])('tells whether a method is too long to be served: %s', (method, isOverlong) => {
  expect(isOverlongMethod(method, longMethods([long]))).toBe(isOverlong);
});

it('shows the beginning of a long method in logs', () => {
  expect(loggedMethod('M'.repeat(128))).toBe('M'.repeat(128));
  expect(loggedMethod('M'.repeat(90_000))).toBe(`${'M'.repeat(128)}...`);
});
