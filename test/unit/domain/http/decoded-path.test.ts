import { describe, expect, it } from 'vitest';
import {
  decodedForms,
  decodesToUnsafeSegments,
  hasEncodedSeparator,
} from '../../../../src/domain/http/decoded-path.js';

describe('decodesToUnsafeSegments', () => {
  it.each([
    '/a%2F..%2Fb',
    '/a%2F..',
    '/..%2Fa',
    '/a%2F.%2Fb',
    '/a%5C..%5Cb',
    '/a%2F%2Fb',
    '/a/%2Fb',
    '/a%2F/b',
    '/%2F',
    '/%2Fb',
    '/a%5C%2Fb',
    '/a%252F..%252Fb',
    '/a/%252e%252e/b',
    '/%252e%252e%252Fb',
    '/a%255C..',
    '/a%2F..;x%2Fb',
    '/a%2F..%3Bx%2Fb',
    '/a/%252e%252e;x',
    '/a%252F%252Fb',
    '/a%25252F..%252Fb%2F.',
  ])('finds a dot segment or an empty segment in %s', (path) => {
    expect(decodesToUnsafeSegments(path, { emptySegments: true })).toBe(true);
  });

  it.each([
    '/',
    '/a/b/',
    '/group%2Fproject',
    '/a%2Fb/',
    '/a%2Fb%5Cc',
    '/a%2F',
    '/a%2F...%2Fb',
    '/a%2F..b',
    '/a%252Fb',
    '/%25',
    '/%252',
    '/%25252e%25252e/a',
    '/a%2Fb;x=1',
    '/caf%C3%A9%2Fx',
  ])('finds none in %s', (path) => {
    expect(decodesToUnsafeSegments(path, { emptySegments: true })).toBe(false);
  });

  it('permits empty segments where a caller asks for that', () => {
    expect(decodesToUnsafeSegments('/a%2F%2Fb', { emptySegments: false })).toBe(false);
    expect(decodesToUnsafeSegments('/a%2F..', { emptySegments: false })).toBe(true);
  });
});

describe('decodedForms', () => {
  it.each([
    ['/a', []],
    ['/a%2Fb', ['/a/b']],
    ['/a%252Fb', ['/a%2Fb', '/a/b']],
    ['/a%25zz', ['/a%zz']],
    ['/%C3%A9', ['/\u00c3\u00a9']],
  ])('decodes %s to %j', (path, forms) => {
    expect(decodedForms(path)).toEqual(forms);
  });
});

describe('hasEncodedSeparator', () => {
  it.each([
    ['/a%2Fb', true],
    ['/a%5C', true],
    ['/%252F', false],
    ['/%C3%A9', false],
    ['/a', false],
  ])('says of %s: %s', (path, expected) => {
    expect(hasEncodedSeparator(path)).toBe(expected);
  });
});
