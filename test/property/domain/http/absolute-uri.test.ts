import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsoluteUri } from '../../../../src/domain/http/absolute-uri.js';

/** The grammar of RFC 3986, appendix A, as one expression, without IPv6 and IPvFuture addresses. */
const plain = "[A-Za-z0-9\\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2}";
const grammar = new RegExp(
  `^[A-Za-z][A-Za-z0-9+\\-.]*:` +
    `(?://(?:(?:${plain}|:)*@)?(?:${plain})*(?::[0-9]*)?(?:/(?:${plain}|[:@])*)*` +
    `|/(?:(?:${plain}|[:@])+(?:/(?:${plain}|[:@])*)*)?` +
    `|(?:${plain}|[:@])+(?:/(?:${plain}|[:@])*)*` +
    `|)(?:\\?(?:${plain}|[:@/?])*)?$`,
);

describe('absolute URIs', () => {
  it('are those of the grammar', () => {
    const pieces = fc.constantFrom(
      'a',
      'Z',
      '1',
      ':',
      '/',
      '//',
      '?',
      '#',
      '@',
      '%41',
      '%',
      '%4',
      ' ',
      '+',
      '"',
      'é',
      '.',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), fc.boolean(), (parts, hasScheme) => {
        const text = (hasScheme ? 'x:' : '') + parts.join('');
        expect([text, isAbsoluteUri(text)]).toEqual([text, grammar.test(text)]);
      }),
      { numRuns: 5000 },
    );
  });

  it('are what browsers take for one as well, where they are web addresses without escapes in the host', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: false }), (url) => {
        expect(isAbsoluteUri(url)).toBe(true);
        expect(isAbsoluteUri(`${url}#`)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
