import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUtf8 } from '../../../../../src/adapters/wire/agent-grpc/field-walk.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const isDecodable = (octets: Uint8Array): boolean => {
  try {
    decoder.decode(octets);
    return true;
  } catch {
    return false;
  }
};

/** Where the rules change. */
const edge = fc.constantFrom(
  ...[0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec],
  ...[0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
);

describe('octets as UTF-8', () => {
  it('are what a strict decoder takes, to the end that is given and not beyond', () => {
    const octets = fc.oneof(
      fc.array(edge, { maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 6 }).map((text) => [...new TextEncoder().encode(text)]),
    );
    fc.assert(
      fc.property(octets, fc.array(edge, { maxLength: 3 }), (within, after) => {
        const all = Uint8Array.from([0xff, ...within, ...after]);
        expect(isUtf8(all, 1, 1 + within.length)).toBe(isDecodable(Uint8Array.from(within)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('are so for every pair and every leading triple', () => {
    for (let first = 0; first < 256; first += 1) {
      for (let second = 0; second < 256; second += 1) {
        for (const rest of [[], [0x80], [0x80, 0xbf]]) {
          const octets = Uint8Array.from([first, second, ...rest]);
          if (isUtf8(octets, 0, octets.length) !== isDecodable(octets)) expect([...octets]).toBeNull();
        }
      }
    }
  });
});
