import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedReturn } from '../../../../../../src/domain/agent/sign-on/return-target.js';
import { isFieldValue } from '../../../../../../src/domain/http/field-syntax.js';

const piece = fc.constantFrom(
  ...['/', '//', '\\', '.', '..', '%2f', '%5C', '%2e', '%09', '\t', '\r', '\n', '\0', '\x7f', '\x85', ' ', '@', ':'],
  ...['?', '#', ';', 'http:', 'https://', 'javascript:', 'evil.example', 'a', '\u2028', 'ä', '\ud800', '／', '%', '&'],
);
const wish = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

describe('the redirect target of a browser', () => {
  it("is a page of this host in a browser's resolution, for any request", () => {
    fc.assert(
      fc.property(wish, fc.constantFrom('https://app.example/saml/acs', 'http://app.example:8080/'), (text, base) => {
        const target = allowedReturn(text);
        const resolved = new URL(target, base);
        expect(resolved.origin).toBe(new URL(base).origin);
        expect(resolved.username + resolved.password + resolved.hash).toBe('');
        expect(target).toMatch(/^\/(?![/\\])/);
        expect(isFieldValue(target)).toBe(true);
        expect(allowedReturn(target)).toBe(target);
      }),
      { numRuns: 5000 },
    );
  });

  it('is the root for a text that is not a path of this host or has control characters', () => {
    const refused = fc.oneof(
      fc.webUrl(),
      fc.tuple(fc.constantFrom('//', '/\\', '\\/', '\\\\'), fc.string()).map((parts) => parts.join('')),
      fc
        .tuple(fc.webPath(), fc.constantFrom('\0', '\t', '\r', '\n', '\x1f', '\x7f', '\x80', '\x9f'), fc.string())
        .map(([path, control, rest]) => `/${path}${control}${rest}`),
    );
    fc.assert(
      fc.property(refused, (text) => {
        expect(allowedReturn(text)).toBe('/');
      }),
    );
  });

  it('is the requested page if that is a page of this host', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\/[a-z0-9_~-]{1,20}(\/[a-z0-9_~-]{1,20}){0,3}$/),
        fc.webQueryParameters(),
        (path, query) => {
          const asked = query === '' ? path : `${path}?${query}`;
          expect(allowedReturn(asked)).toBe(asked);
        },
      ),
    );
  });
});
