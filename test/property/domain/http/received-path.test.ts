import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalisePath } from '../../../../src/domain/http/path-normalisation.js';
import { receivedPath, withMergedSlashes } from '../../../../src/domain/http/received-path.js';
import { clientPaths } from '../../../support/gateway/client-paths.js';

describe('receivedPath', () => {
  it('is the normal form, with slashes merged and escapes in upper case', () => {
    fc.assert(
      fc.property(clientPaths, (raw) => {
        const normal = normalisePath(raw, 'keep');
        if (!normal.ok) return;
        const received = receivedPath(raw);
        expect(normalisePath(received, 'keep')).toEqual(normal);
        expect(withMergedSlashes(received).replaceAll(/%(2f|5c)/g, (code) => code.toUpperCase())).toBe(normal.value);
      }),
      { numRuns: 5000 },
    );
  });

  it('never has a dot segment', () => {
    fc.assert(
      fc.property(clientPaths, (raw) => {
        if (!normalisePath(raw, 'keep').ok) return;
        for (const segment of receivedPath(raw).split('/')) expect(segment).not.toMatch(/^(\.|%2e){1,2}(;|$)/i);
      }),
      { numRuns: 3000 },
    );
  });

  it('leaves a path without dot segments and needless escapes as it came', () => {
    const piece = fc.constantFrom('/', '//', 'a', 'b.c', '%2f', '%2F', '%5c', '%C3', ';x', '...');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 10 }).map((pieces) => `/${pieces.join('')}`),
        (raw) => {
          if (/\/\.{1,2}(?:[;/]|$)/.test(raw)) return;
          expect(receivedPath(raw)).toBe(raw);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
