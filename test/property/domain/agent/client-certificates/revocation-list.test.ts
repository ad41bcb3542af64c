import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRevocationFile } from '../../../../../src/domain/agent/client-certificates/revocation-file.js';
import { readRevocationList } from '../../../../../src/domain/agent/client-certificates/revocation-list.js';
import { entry, extension, madeList } from '../../../../support/agent/made-revocation-lists.js';

/** Positive serial numbers in the shortest form. */
const serial = fc
  .uint8Array({ minLength: 1, maxLength: 20 })
  .map((octets) => Buffer.from([((octets[0] as number) % 0x7f) | 0x01, ...octets.slice(1)]).toString('hex'));

it('a list names exactly the serial numbers of its entries', () => {
  fc.assert(
    fc.property(fc.array(serial, { maxLength: 300 }), (serials) => {
      const read = readRevocationList(madeList({ entries: serials.map((hex) => entry(hex)) }));
      expect(read.ok && [...read.value.serials].sort()).toEqual([...new Set(serials)].sort());
    }),
  );
});

it('no prefix of a list is a list', () => {
  const whole = madeList({ entries: [entry('01'), entry('02')], extensions: [extension('551d14', false)] });
  for (let length = 0; length < whole.length; length += 1) {
    expect(readRevocationList(whole.subarray(0, length)).ok).toBe(false);
  }
});

it('a changed list never loses an entry silently outside of its signed octets', () => {
  const whole = madeList({ entries: [entry('01'), entry('0203')], extensions: [extension('551d14', false)] });
  const known = readRevocationList(whole);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (place, flip) => {
      const changed = Uint8Array.from(whole);
      changed[place] = (changed[place] as number) ^ flip;
      const read = readRevocationList(changed);
      if (!read.ok || !known.ok) return;
      const isSame = Buffer.from(read.value.signed.octets).equals(known.value.signed.octets);
      // Entries change only together with the octets that the signature covers.
      if (isSame) expect(read.value.serials).toEqual(known.value.serials);
    }),
  );
});

it('any octets are read or refused, without an exception', () => {
  const whole = madeList({ entries: [entry('01')] });
  const spliced = fc
    .tuple(fc.nat(whole.length), fc.nat(whole.length), fc.uint8Array({ maxLength: 40 }))
    .map(([from, to, put]) => Buffer.concat([whole.subarray(0, from), put, whole.subarray(to)]));
  fc.assert(
    fc.property(fc.oneof(spliced, fc.uint8Array({ maxLength: 200 })), (octets) => {
      expect(typeof readRevocationList(octets).ok).toBe('boolean');
      expect(typeof readRevocationFile(octets).ok).toBe('boolean');
    }),
  );
});
