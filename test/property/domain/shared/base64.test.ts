import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../../../src/domain/shared/base64.js';

const octets = fc.uint8Array({ maxLength: 64 });

describe('decodeBase64', () => {
  it('decodes what Node encodes, in both alphabets', () => {
    fc.assert(
      fc.property(octets, (bytes) => {
        expect(decodeBase64(Buffer.from(bytes).toString('base64'), 'standard')).toEqual(bytes);
        expect(decodeBase64(Buffer.from(bytes).toString('base64url'), 'url')).toEqual(bytes);
      }),
    );
  });

  it('decodes long texts and finds a single invalid character', () => {
    const wrong = fc.constantFrom('-', '=', ' ', '\n', '\u0000', '\u007f', '\u0141', '\ud83d', '\uffff');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3, maxLength: 5_000 }), wrong, fc.nat(), (bytes, character, at) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(decodeBase64(text, 'standard')).toEqual(bytes);
        const place = at % (text.indexOf('=') === -1 ? text.length : text.indexOf('='));
        const spoilt = text.slice(0, place) + character + text.slice(place + 1);
        const isOther = Buffer.from(Buffer.from(spoilt, 'base64')).toString('base64') !== spoilt;
        if (isOther) expect(decodeBase64(spoilt, 'standard')).toBeNull();
      }),
    );
  });

  it('accepts only the canonical encoding', () => {
    const texts = fc.string({ unit: fc.constantFrom('A', 'Q', 'R', 'z', '9', '+', '-', '=', '\n', 'é'), maxLength: 9 });
    fc.assert(
      fc.property(texts, (text) => {
        const standard = decodeBase64(text, 'standard');
        if (standard !== null) expect(Buffer.from(standard).toString('base64')).toBe(text);
        const url = decodeBase64(text, 'url');
        if (url !== null) expect(Buffer.from(url).toString('base64url')).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});
