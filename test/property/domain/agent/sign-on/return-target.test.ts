import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maximumReturnTarget, returnTarget } from '../../../../../src/domain/agent/sign-on/return-target.js';
import { isFieldValue } from '../../../../../src/domain/http/field-syntax.js';

const piece = fc.constantFrom(
  '/',
  '//',
  '\\',
  '.',
  '..',
  '%2f',
  '%5C',
  '%2e',
  '\t',
  '\r',
  '\n',
  '\0',
  ' ',
  '@',
  ':',
  '?',
  '#',
  ';',
  'http:',
  'https://',
  'javascript:',
  'evil.example',
  'a',
  '\u2028',
  'ä',
  '\ud800',
  '／',
  '%',
  '&',
  '=',
);
const uri = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

describe('the return target', () => {
  it("never leaves the host in a browser's resolution", () => {
    fc.assert(
      fc.property(uri, fc.constantFrom('https://app.example/saml/acs', 'http://app.example:8080/'), (asked, base) => {
        const target = returnTarget(asked);
        const resolved = new URL(target, base);
        expect(resolved.origin).toBe(new URL(base).origin);
        expect(resolved.username + resolved.password + resolved.hash).toBe('');
        expect(target).toMatch(/^\/(?![/\\])/);
        expect(target.length).toBeLessThanOrEqual(maximumReturnTarget);
        expect(isFieldValue(target)).toBe(true);
        expect(returnTarget(target)).toBe(target);
      }),
      { numRuns: 5000 },
    );
  });

  it("is the requested page in a browser's resolution", () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
        const asked = new URL(`https://app.example${path || '/'}?${query}`);
        // What an upstream could read in two ways is never routed, so that nobody signs on for it.
        fc.pre(!/%2f|%5c|%00|\/\.{1,2};/i.test(asked.pathname));
        const target = new URL(returnTarget(asked.pathname + asked.search), asked);
        const pathOf = (url: URL) => decodeURIComponent(url.pathname).replace(/\/+/g, '/');
        expect(pathOf(target)).toBe(pathOf(asked));
        expect(target.search).toBe(asked.search);
      }),
      { numRuns: 1000 },
    );
  });
});
