import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestLines } from '../../../../../src/adapters/wire/http1/head-lines.js';
import { fieldLines } from '../../../../../src/adapters/wire/http1/head-text.js';
import { FieldNames, fieldList } from '../../../../../src/adapters/wire/http1/message-head.js';
import { readRequestHead, requestHead } from '../../../../../src/adapters/wire/http1/read-head.js';
import { fieldTraits } from '../../../../../src/domain/http/field-traits.js';
import { fieldValue, token } from '../../../../support/gateway/http1-arbitraries.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';
import { knownFields } from '../../../../support/gateway/known-fields.js';

const names = new FieldNames(fieldTraits);

const pair = fc.oneof(
  fc.tuple(
    fc.constantFrom('Host', 'hOST', 'Accept', 'TE', 'X-Real-IP', 'Date', 'Transfer_Encoding', 'y'.repeat(64)),
    fieldValue,
  ),
  fc.tuple(fc.constantFrom('Content-Length', 'content-length'), fc.constantFrom('0', '12')),
  fc.tuple(fc.constantFrom('Connection', 'Expect'), fc.constantFrom('close', '100-continue')),
  fc.tuple(
    fc.integer({ min: 65, max: 90 }).map((length) => 'x'.repeat(length)),
    fieldValue,
  ),
  fc.tuple(token, fieldValue),
);

describe('the lines of a request', () => {
  it('tell what going through its fields tells', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 12 }), fc.constantFrom('', '\r\n'), (pairs, before) => {
        const text = `GET /a HTTP/1.1\r\n${fieldLines(pairs.flat())}\r\n`;
        const all = `${before}${text}`;
        fc.pre(readRequestHead(octetsOf(all), 0, all.length, 65_536) === all.length);
        read += 1;
        const fields = fieldList(text, requestHead, names);
        const lines = requestLines(text, requestHead, fields, names);
        const known = knownFields(fields);
        expect(known).not.toBeNull();
        expect(lines).toMatchObject({ ...known, methodEnd: 3, start: 17 });
        expect(lines?.fields).toBe(fields);
      }),
      { numRuns: 1_000 },
    );
    expect(read).toBeGreaterThan(300);
  });
});
