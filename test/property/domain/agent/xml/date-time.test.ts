import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDateTime, parseDateTime } from '../../../../../src/domain/agent/xml/date-time.js';
import { nearMisses } from '../../../../support/shared/near-misses.js';

/** The years 1 to 9999. */
const moment = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });

describe('an xs:dateTime', () => {
  it('reads as it was written, and writes as Node does', () => {
    fc.assert(
      fc.property(moment, (ms) => {
        const text = formatDateTime(ms);
        expect(parseDateTime(text)).toBe(ms);
        expect(text).toBe(new Date(ms).toISOString().replace('.000Z', 'Z'));
      }),
      { numRuns: 1000 },
    );
  });

  it('has the value that Node computes, if it is valid', () => {
    const zoned = fc
      .tuple(moment, fc.constantFrom('Z', '+02:00', '-13:59', '+14:00', '.5Z', '.123456-00:30'))
      .map(([ms, zone]) => new Date(ms).toISOString().slice(0, 19) + zone);
    fc.assert(
      fc.property(nearMisses(zoned, '0123456789-:T.Z+ '), (text) => {
        const ms = parseDateTime(text);
        if (ms !== null) expect(ms).toBe(Date.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is valid for every day and time of the calendar', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -840, max: 840 }), (ms, offset) => {
        const text = new Date(ms).toISOString().slice(0, 23);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        expect(parseDateTime(text + zone)).toBe(ms - offset * 60_000);
      }),
    );
  });
});
