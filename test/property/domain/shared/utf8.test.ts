import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../../../src/domain/shared/utf8.js';

const reference = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};

describe('decodeUtf8', () => {
  it('reverses encoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
      }),
    );
  });

  it('reverses encoding of a long text with non-ASCII characters anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_500), { maxLength: 4 }),
        fc.constantFrom('', 'é', '\u{1f511}'),
        (lengths, between) => {
          const text = lengths.map((length) => 'ascii'.repeat(length).slice(0, length)).join(between);
          expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
        },
      ),
    );
  });

  it('agrees with the platform decoder on any octets', () => {
    const lead = fc.constantFrom(
      0x41,
      0x80,
      0xbf,
      0xc0,
      0xc1,
      0xc2,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
      0xff,
      0x90,
      0xa0,
    );
    const soup = fc.array(fc.oneof(lead, fc.nat(255)), { maxLength: 8 }).map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(soup, (bytes) => {
        expect(decodeUtf8(bytes)).toBe(reference(bytes));
      }),
      { numRuns: 3000 },
    );
  });
});
