import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  combinedProtection,
  compileProtectedPaths,
  PathSet,
  pathProtection,
} from '../../../../../src/domain/agent/sign-on/protected-paths.js';
import { prefixTakes, requestPath } from '../../../../../src/domain/http/path-normalisation.js';

const segment = fc.constantFrom('a', 'b', 'ab', 'abc', 'a;b', 'b%3Ba', ';', 'constructor', '__proto__');
const path = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.boolean())
  .map(([segments, slash]) => `/${segments.join('/')}${slash && segments.length > 0 ? '/' : ''}`);
const paths = fc.array(path, { maxLength: 6 });

/** Its names, without parameters: empty for the root. */
const plain = (full: string): string =>
  full
    .replaceAll('%3B', ';')
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/+/g, '/')
    .replace(/\/$/, '');

describe('single sign-on paths', () => {
  it('match as one-by-one comparison does', () => {
    fc.assert(
      fc.property(paths, path, (set, asked) => {
        expect(new PathSet(set).takes(asked)).toBe(set.some((prefix) => prefixTakes(prefix, asked)));
      }),
      { numRuns: 2000 },
    );
  });

  it('match as a naive reading of the options does', () => {
    fc.assert(
      fc.property(
        paths,
        paths,
        path,
        fc.constantFrom('', '?', '?/a/../b'),
        (protectedPaths, excludedPaths, asked, query) => {
          const naive = () => {
            if (excludedPaths.some((prefix) => prefixTakes(prefix, asked))) return 'excluded';
            if (protectedPaths.length === 0) return 'protected';
            const isProtected = protectedPaths.some((prefix) => `${plain(asked)}/`.startsWith(`${plain(prefix)}/`));
            return isProtected ? 'protected' : 'open';
          };
          const compiled = compileProtectedPaths({ protectedPaths, excludedPaths });
          expect(pathProtection(compiled, requestPath(asked + query))).toBe(naive());
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('protect together what one of several ways protects, and exclude what the others leave', () => {
    const way = fc.record({ protectedPaths: paths, excludedPaths: paths });
    fc.assert(
      fc.property(fc.array(way, { maxLength: 4 }), path, (ways, asked) => {
        const each = ways.map((options) => pathProtection(compileProtectedPaths(options), requestPath(asked)));
        const combined = combinedProtection(each);
        expect(combined === 'protected').toBe(each.includes('protected'));
        if (combined !== 'protected') expect(combined === 'excluded').toBe(each.includes('excluded'));
      }),
      { numRuns: 1000 },
    );
  });

  it('cost time linear in the length of the path, for any number of paths and segments', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => `/p${index}/a`);
    const deep = `/${'a/'.repeat(50_000)}`;
    const compiled = compileProtectedPaths({ protectedPaths: [...many, `${deep}b`], excludedPaths: many });
    for (let count = 0; count < 50; count += 1) expect(pathProtection(compiled, `${deep}c`)).toBe('open');
    expect(pathProtection(compiled, '/p49999/a/b')).toBe('excluded');
  });
});
