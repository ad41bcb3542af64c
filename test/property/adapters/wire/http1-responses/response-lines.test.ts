import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fieldLines, statusLine } from '../../../../../src/adapters/wire/http1/head-text.js';
import { fieldList } from '../../../../../src/adapters/wire/http1/message-head.js';
import { readResponseHead, responseHead } from '../../../../../src/adapters/wire/http1/read-head.js';
import { ResponseLines } from '../../../../../src/adapters/wire/http1-responses/response-lines.js';
import { fieldTraits } from '../../../../../src/domain/http/field-traits.js';
import { firstHeader, type HeaderList } from '../../../../../src/domain/http/header-list.js';
import {
  type OwnResponseFields,
  ownFields,
  passUnchanged,
  returnableFields,
} from '../../../../../src/domain/http/returnable-fields.js';
import { fieldValue, token } from '../../../../support/gateway/http1-arbitraries.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';

const telling: fc.Arbitrary<readonly [string, string]> = fc.constantFrom(
  ['Connection', 'keep-alive'],
  ['connection', 'close'],
  ['Connection', 'Keep-Alive'],
  ['Connection', 'x-a'],
  ['Keep-Alive', 'timeout=5'],
  ['keep_alive', 'timeout=6'],
  ['keep-alive', 'x'],
  ['Transfer-Encoding', 'chunked'],
  ['Trailer', 'X-A'],
  ['TE', 'trailers'],
  ['Content-Length', '5'],
  ['Content_Length', '6'],
  ['RateLimit', '"c";r=0'],
  ['x-correlation-id', 'theirs'],
  ['Upgrade', 'h2c'],
  ['Host', 'a'],
);
const common: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.constantFrom<readonly [string, string]>(['Server', 'nginx'], ['Date', 'now'], ['ETag', '"a: b"'], ['X-A', '']),
  fc.tuple(token, fieldValue),
);
const pairs = fc.oneof(
  fc.array(fc.oneof(common, telling), { maxLength: 8 }),
  // As most upstreams have it: what concerns the connection stands together.
  fc
    .tuple(fc.array(common, { maxLength: 5 }), fc.array(telling, { maxLength: 3 }), fc.array(common, { maxLength: 5 }))
    .map((parts) => parts.flat()),
);
const blank = fc.constantFrom(' ', ' ', ' ', ' ', ' ', '', '\t');

const owns = fc.record<OwnResponseFields>({
  rateLimitFields: fc.constantFrom<HeaderList[]>([], ['RateLimit', '"c";r=1']),
  targetFields: fc.constantFrom<HeaderList[]>([], ['Set-Cookie', 'at=a']),
  correlationId: fc.constant('c-1'),
});

it('the lines of a response that go on as they came are those of its returnable fields, and all that is told of it is so', () => {
  let passed = 0;
  let cut = 0;
  fc.assert(
    fc.property(
      pairs,
      blank,
      fc.constantFrom(200, 204, 304),
      owns,
      fc.constantFrom('', 'body: of it\r\n'),
      (...drawn) => {
        const [fields, space, status, own, behind] = drawn;
        const lines = fields.map(([name, value]) => `${name}:${space}${value}\r\n`).join('');
        const text = `HTTP/1.1 ${status} X\r\n${lines}\r\n${behind}`;
        const reading = readResponseHead(octetsOf(text), 0, text.length, 65_536);
        fc.pre(reading > 0);
        const list = fieldList(text, responseHead);
        const received = new ResponseLines(text, responseHead, reading);
        const { contentLength } = responseHead;
        expect(received.traits).toBe(list.reduce((all, name, at) => (at % 2 === 0 ? all | fieldTraits(name) : all), 0));
        expect(received.keepAlive).toBe(firstHeader(list, 'keep-alive') ?? null);
        expect(received.contentLength).toBe(contentLength);
        if (passUnchanged(received.passedTraits, status, own)) {
          const expected = returnableFields(list, status, own);
          expect(received.passedHead(status)).toBe(statusLine(status) + received.passedLines);
          expect(received.passedLines + fieldLines(ownFields(own))).toBe(fieldLines(expected));
          passed += 1;
          if (received.traits !== received.passedTraits) cut += 1;
        }
        expect(received.fields).toEqual(list);
        const again = received.lines;
        if (again !== null) expect(again.text.slice(again.start).startsWith(fieldLines(list))).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(passed).toBeGreaterThan(300);
  expect(cut).toBeGreaterThan(50);
});

/** All that is told of lines. */
const toldOf = (received: ResponseLines): unknown => {
  const { traits, passedTraits, contentLength, keepAlive, fields, lines } = received;
  return {
    traits,
    passedTraits,
    contentLength,
    keepAlive,
    fields,
    // INVARIANT: nobody asks for them where all bits are set.
    passedLines: passedTraits === -1 ? null : received.passedLines,
    // Of one status after the other.
    passedHeads: passedTraits === -1 ? null : [200, 404, 200, 200].map((status) => received.passedHead(status)),
    lines: lines === null ? null : { ...lines, text: lines.text.slice(0, lines.endOf(fields.length)) },
  };
};

it('keeps its results after the reader has read another head', () => {
  let passed = 0;
  let cut = 0;
  let odd = 0;
  fc.assert(
    fc.property(
      pairs,
      blank,
      fc.constantFrom(200, 204, 304, 404),
      fc.constantFrom('', 'body: of it\r\n', '\r\n', 'x'.repeat(5_000)),
      fc.constantFrom(' X', ' ', ''),
      (fields, space, status, behind, reason) => {
        const lines = fields.map(([name, value]) => `${name}:${space}${value}\r\n`).join('');
        const text = `HTTP/1.1 ${status}${reason}\r\n${lines}\r\n${behind}`;
        const reading = readResponseHead(octetsOf(text), 0, text.length, 65_536);
        fc.pre(reading > 0);
        const received = new ResponseLines(text, responseHead, reading);
        const told = toldOf(new ResponseLines(text, responseHead, reading));
        // What the reader found is that of the next head by the time that anybody asks.
        const next = octetsOf('HTTP/1.1 500 X\r\nConnection: close\r\nContent-Length: 99\r\nKeep-Alive: a\r\n\r\n');
        expect(readResponseHead(next, 0, next.length, 65_536)).toBe(next.length);
        expect(toldOf(received)).toEqual(told);
        expect(toldOf(received)).toEqual(told);
        if (received.passedTraits === -1) odd += 1;
        else if (received.traits !== received.passedTraits) cut += 1;
        else passed += 1;
      },
    ),
    { numRuns: 3_000 },
  );
  expect(passed).toBeGreaterThan(300);
  expect(cut).toBeGreaterThan(50);
  expect(odd).toBeGreaterThan(100);
});
