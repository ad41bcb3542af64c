import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapseWhiteSpace } from '../../../../../src/domain/agent/xml/xml-characters.js';

const white = fc.stringMatching(/^[ \t\r\n]{0,5}$/);
const piece = fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom('\u00a0', '\u2003', '\u200b', '\ufeff', '\v', '\f'));

describe('white space collapsing', () => {
  it('removes only white space around a text', () => {
    fc.assert(
      fc.property(white, fc.webUrl(), white, (before, url, after) => {
        expect(collapseWhiteSpace(before + url + after)).toBe(url);
      }),
    );
  });

  it('keeps texts different that differ in anything else', () => {
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (left, right) => {
        const words = (text: string) => text.split(/[ \t\r\n]+/).filter((word) => word !== '');
        const [first, second] = [left.join(' '), right.join('\n')];
        expect(collapseWhiteSpace(first) === collapseWhiteSpace(second)).toBe(
          JSON.stringify(words(first)) === JSON.stringify(words(second)),
        );
      }),
    );
  });

  it('never joins what white space separates', () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.stringMatching(/^[ \t\r\n]{1,5}$/), fc.nat(), (url, gap, at) => {
        const cut = 1 + (at % (url.length - 1));
        expect(collapseWhiteSpace(url.slice(0, cut) + gap + url.slice(cut))).not.toBe(url);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(collapseWhiteSpace(collapseWhiteSpace(text))).toBe(collapseWhiteSpace(text));
      }),
    );
  });
});
