import fc from 'fast-check';
import { expect, it } from 'vitest';
import { connectionPreface, frame } from '../../../../support/gateway/http2-frames.js';
import { scanned } from '../../../../support/gateway/scanned-octets.js';

const payload = fc.uint8Array({ maxLength: 60 });

/** Frames that belong together, and how many of their octets may be passed on at a time. */
const plain = fc
  .tuple(fc.constantFrom(0, 2, 3, 4, 6, 8, 0xbe), payload)
  .map(([type, octets]) => ({ octets: frame(type, 0, 1, octets), isBlock: false }));
const block = fc
  .tuple(fc.constantFrom(1, 5), fc.array(payload, { minLength: 1, maxLength: 9 }))
  .map(([type, parts]) => ({
    octets: Buffer.concat(
      parts.map((part, index) => frame(index === 0 ? type : 9, index === parts.length - 1 ? 4 : 0, 7, part)),
    ),
    isBlock: true,
  }));

const pieces = (octets: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % (octets.length + 1)))].sort((one, other) => one - other);
  return [0, ...places].map((start, index) => octets.subarray(start, places[index] ?? octets.length));
};

it('however it is cut, all of it is passed on, and never a part of a header block', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(plain, block), { maxLength: 12 }),
      fc.array(fc.nat({ max: 5_000 }), { maxLength: 40 }),
      fc.nat({ max: 200 }),
      (parts, cuts, missing) => {
        const all = Buffer.concat([connectionPreface, ...parts.map(({ octets }) => octets)]);
        const came = all.subarray(0, Math.max(0, all.length - missing));
        const { passed, fault, held } = scanned('client', pieces(came, cuts));
        expect(fault).toBeNull();
        const octets = Buffer.concat(passed);
        expect(octets.equals(came.subarray(0, octets.length))).toBe(true);
        expect(octets.length + held).toBe(came.length);
        // Where blocks begin and end: no piece ends between.
        const within: (readonly [number, number])[] = [];
        let at = connectionPreface.length;
        for (const part of parts) {
          if (part.isBlock) within.push([at, at + part.octets.length]);
          at += part.octets.length;
        }
        let end = 0;
        for (const piece of passed) {
          end += piece.length;
          for (const [begins, ends] of within) expect(end <= begins || end >= ends).toBe(true);
        }
        if (missing === 0) expect(held).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
});
