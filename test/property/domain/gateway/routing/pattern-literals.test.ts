import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { patternLiterals } from '../../../../../src/domain/gateway/routing/pattern-literals.js';

const part = fc.constantFrom(
  ...[
    'a',
    'b',
    '/',
    'ab',
    '.',
    '\\.',
    '\\d',
    '\\w',
    '\\b',
    '\\/',
    '$',
    '^',
    '|',
    '(',
    ')',
    '(?:',
    '(?i)',
    '(?i:',
    '(?P<n>',
  ],
  ...[
    '[ab]',
    '[^/]',
    '[]|]',
    '[[:digit:]|]',
    '[a\\]]',
    '*',
    '+',
    '?',
    '{2}',
    '{0,1}',
    '{,2}',
    '{',
    '}',
    '*?',
    '\\Q',
    '\\E',
    '\\x61',
  ],
);
const pattern = fc
  .tuple(fc.constantFrom('^', '^/', ''), fc.array(part, { maxLength: 7 }))
  .map(([start, parts]) => start + parts.join(''));
const path = fc
  .array(fc.constantFrom('a', 'b', '/', '.', '1', 'A', '{', '|', ']', ','), { maxLength: 6 })
  .map((parts) => parts.join(''));

describe('patternLiterals', () => {
  it('returns only literals of every matching path', () => {
    let matches = 0;
    fc.assert(
      fc.property(pattern, fc.array(path, { minLength: 10, maxLength: 10 }), (source, paths) => {
        const compiled = re2PathPatterns(source);
        if (!compiled.ok) return;
        const { prefix, inner } = patternLiterals(source);
        for (const text of paths.filter(compiled.value)) {
          matches += 1;
          expect(text.startsWith(prefix)).toBe(true);
          for (const literal of inner) expect(text).toContain(literal);
        }
      }),
      { numRuns: 4000 },
    );
    expect(matches).toBeGreaterThan(100);
  });
});
