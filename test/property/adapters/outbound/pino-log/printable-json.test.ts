import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  jsonText,
  printableJson,
  printableLogText,
} from '../../../../../src/adapters/outbound/pino-log/printable-json.js';

/** Every UTF-16 unit, halves of characters and controls included, with those that matter more often. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0, max: 0xa0 }),
      fc.constantFrom(0x22, 0x5c, 0x2028),
    ),
  )
  .map((units) => String.fromCharCode(...units));

const acting = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

describe('a text in a log', () => {
  it('reads back as what it was, and holds nothing that acts', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(jsonText(text))).toBe(text);
        expect(jsonText(text)).not.toMatch(acting);
      }),
      { numRuns: 2000 },
    );
  });

  it('is written alike by the short way and by the long one', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(jsonText(text)).toBe(printableJson(JSON.stringify(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it('holds nothing that acts where it is no JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printableLogText(text)).not.toMatch(acting);
      }),
      { numRuns: 2000 },
    );
  });
});
