import { describe, expect, it } from 'vitest';
import { patternLiterals } from '../../../../../src/domain/gateway/routing/pattern-literals.js';

describe('patternLiterals', () => {
  it.each([
    ['^/api/v\\d+$', '/api/v', []],
    ['^/api/\\w+/items/\\d+$', '/api/', ['/items/']],
    ['/thing7$', '', ['/thing7']],
    ['^/a\\.b\\-c', '/a.b-c', []],
    ['^/ab?c', '/a', ['c']],
    ['^/ab*c', '/a', ['c']],
    ['^/ab{0,2}c', '/a', ['c']],
    ['^/ab+c', '/ab', ['c']],
    ['^/a(b|c)/d', '/a', ['/d']],
    ['^/a(b(c)|[)|])?/d', '/a', ['/d']],
    ['^/[^/]+/x', '/', ['/x']],
    ['^/[]|]x', '/', ['x']],
    ['^/[[:alpha:]|]x', '/', ['x']],
    ['^/[a\\]|]x', '/', ['x']],
    ['^(?:/a)/b', '', ['/b']],
    ['^(?P<id>x)/b', '', ['/b']],
    ['^$', '', []],
    ['', '', []],
  ])('finds the required literals of %s', (pattern, prefix, inner) => {
    expect(patternLiterals(pattern)).toEqual({ prefix, inner });
  });

  it.each([
    '^/a|/b',
    'a|b',
    '^/a(?i)b',
    '(?i)^/a',
    '^/a\\Qb|c\\E',
    '^/\\x41b',
    '^/\\pLb',
    '^/a(?i:b)c',
    '^(x|\\Q)\\E)|y',
  ])('finds no literals in %s', (pattern) => {
    expect(patternLiterals(pattern)).toEqual({ prefix: '', inner: [] });
  });

  it('ignores non-ASCII text, which no path contains', () => {
    expect(patternLiterals('^/caf\u00e9?/x')).toEqual({ prefix: '/caf', inner: ['/x'] });
  });
});
