import { describe, expect, it } from 'vitest';
import { headFaults } from '../../../../../src/adapters/wire/http1/head-fault.js';
import { type Http1Row, requestRows, responseRows } from '../../../../support/gateway/http1-messages.js';
import { type Http1Message, type Http1Stream, octetsOf, readPieces } from '../../../../support/gateway/http1-stream.js';

const pairs = (fields: readonly string[]): string =>
  Array.from({ length: fields.length / 2 }, (_, index) => `${fields[2 * index]}: ${fields[2 * index + 1]}`).join('; ');

const messageText = ({ line, minorVersion, fields, body, trailers, isComplete }: Http1Message): string =>
  [
    `${line[0]} ${line[1]} 1.${minorVersion}`,
    ...(fields.length > 0 ? [`[${pairs(fields)}]`] : []),
    ...(body === '' ? [] : [JSON.stringify(body)]),
    ...(trailers.length > 0 ? [`{${pairs(trailers)}}`] : []),
  ].join(' ') + (isComplete ? '' : '...');

const readingOf = ({ messages, ending }: Http1Stream) => ({ messages: messages.map(messageText), ending });

const everySplit = (octets: Uint8Array): readonly (readonly Uint8Array[])[] =>
  Array.from({ length: octets.length - 1 }, (_, at) => [octets.subarray(0, at + 1), octets.subarray(at + 1)]);

const titled = (rows: readonly Http1Row[]): readonly [string, Http1Row][] => rows.map((row) => [row.title, row]);

describe.each([
  ['request', requestRows],
  ['response', responseRows],
] as const)('the codec, as a reader of a %s', (kind, rows) => {
  it.each(titled(rows))(
    'reads %s as the table says, in whatever pieces it comes',
    (_title, { octets, ...expected }) => {
      const whole = octetsOf(octets);
      const { messages, ending } = readingOf(readPieces(kind, [whole]));
      expect({ messages, ending }).toEqual({ messages: expected.messages, ending: expected.ending });
      const single = Array.from(whole, (octet) => Uint8Array.of(octet));
      for (const pieces of [single, ...everySplit(whole)])
        expect(readingOf(readPieces(kind, pieces))).toEqual({ messages, ending });
    },
  );
});

describe('the table of HTTP/1 messages', () => {
  it('has a row for every fault of a head that does not depend on a limit', () => {
    const endings = new Set([...requestRows, ...responseRows].map(({ ending }) => ending));
    const ofLimits = ['method_too_long', 'first_line_too_long', 'head_too_large'];
    expect(headFaults.filter((fault) => !endings.has(fault))).toEqual(ofLimits);
  });

  it('has no title twice', () => {
    for (const rows of [requestRows, responseRows])
      expect(new Set(rows.map(({ title }) => title)).size).toBe(rows.length);
  });
});
