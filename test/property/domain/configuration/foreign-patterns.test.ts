import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { foreignPathPattern } from '../../../../src/domain/configuration/schema/foreign-patterns.js';
import { normalisePath } from '../../../../src/domain/http/path-normalisation.js';

const segment = fc.stringMatching(/^[A-Za-z0-9_~.-]{1,8}$/).filter((text) => !/^\.{1,2}$/.test(text));
const placeholder = fc.constantFrom('*', '{id}', ':id', '<id>', '[id]', '{id:[0-9]+}');

/** The regular expression in a suggestion. */
const proposed = (instead: string): string | null => /^path-regex #?"(.*)"#?$/.exec(instead)?.[1] ?? null;

describe('paths with placeholders', () => {
  it('become expressions that match every filled path, and none with another segment', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(segment, placeholder), { minLength: 1, maxLength: 4 }), segment, (pairs, last) => {
        const written = `${pairs.map(([literal, hole]) => `/${literal}/${hole}`).join('')}/${last}`;
        const filled = `${pairs.map(([literal]) => `/${literal}/42`).join('')}/${last}`;
        const expression = proposed(foreignPathPattern(written, 'path')?.instead ?? '');
        expect(expression).not.toBeNull();
        const compiled = re2PathPatterns(expression ?? '');
        if (!compiled.ok) throw new Error(compiled.error);
        expect(compiled.value(filled)).toBe(true);
        expect(compiled.value(`${filled}/more`)).toBe(false);
        expect(compiled.value(`/more${filled}`)).toBe(false);
      }),
    );
  });

  it('are refused only with a trailing star, or if no request can have them', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1/*{}:.()|$^?\\<>[]-+d'), maxLength: 20 }), (text) => {
        const path = `/${text}`;
        if (foreignPathPattern(path, 'path')?.isCertain !== true) return;
        const normal = normalisePath(path);
        const isPossible = normal.ok && normal.value === path;
        expect(isPossible && !/\/\*{1,2}$/.test(path)).toBe(false);
      }),
    );
  });
});
