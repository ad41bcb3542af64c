import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkedReader } from '../../../../../src/adapters/wire/http1/chunked-reader.js';
import { headFaults } from '../../../../../src/adapters/wire/http1/head-fault.js';
import { spanSize } from '../../../../../src/adapters/wire/http1/message-head.js';
import {
  readRequestHead,
  readResponseHead,
  requestHead,
  responseHead,
} from '../../../../../src/adapters/wire/http1/read-head.js';
import { hostileStream } from '../../../../support/gateway/http1-arbitraries.js';
import { textOf } from '../../../../support/gateway/http1-stream.js';

const readers = {
  request: { read: readRequestHead, head: requestHead },
  response: { read: readResponseHead, head: responseHead },
} as const;

/** The octets with others around them. */
const surrounded = (octets: Uint8Array, before: number, fill: readonly number[]): Uint8Array => {
  const around = Uint8Array.from({ length: before + octets.length + 40 }, (_, index) => fill[index % fill.length] ?? 0);
  around.set(octets, before);
  return around;
};

const octetsFor = (kind: 'request' | 'response') =>
  fc.oneof(
    hostileStream(kind),
    fc.uint8Array({ maxLength: 80 }),
    fc.tuple(hostileStream(kind), fc.nat()).map(([octets, length]) => octets.slice(0, length % (octets.length + 1))),
  );

/** What goes on where the octets end: a head, a chunk, fields, letters. */
const fills = [
  [0x41],
  Array.from(Buffer.from('\r\n\r\n')),
  Array.from(Buffer.from('a: b\r\n\r\n')),
  Array.from(Buffer.from('0\r\n\r\n')),
];

describe.each(['request', 'response'] as const)('octets for a %s', (kind) => {
  const { read, head } = readers[kind];

  it('are read without a look behind their end, and come to a head, a wait or a fault', () => {
    const found = { heads: 0, waits: 0, faults: 0 };
    fc.assert(
      fc.property(
        octetsFor(kind),
        fc.nat({ max: 9 }),
        fc.constantFrom(30, 100, 65_536),
        (octets, before, maxOctets) => {
          const outcomes = fills.map((fill) => {
            const around = surrounded(octets, before, fill);
            const reading = read(around, before, before + octets.length, maxOctets);
            const { spans, ...record } = head;
            return { reading, record, spans: spans.slice(0, head.fieldCount * spanSize) };
          });
          const [{ reading, spans } = { reading: 0, spans: new Int32Array() }] = outcomes;
          for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
          expect(reading).toBeLessThanOrEqual(octets.length);
          expect(reading).toBeGreaterThanOrEqual(-headFaults.length);
          if (reading > 0) {
            found.heads += 1;
            // Fields lie one behind the other within the head.
            expect(spans).toEqual(spans.slice().sort());
            expect(spans.at(-1) ?? 0).toBeLessThan(reading);
            expect(reading - head.emptyOctets).toBeLessThanOrEqual(maxOctets);
          } else if (reading < 0) found.faults += 1;
          else found.waits += 1;
        },
      ),
      { numRuns: 3_000 },
    );
    expect(Math.min(...Object.values(found))).toBeGreaterThan(200);
  });
});

describe('octets for chunks', () => {
  const chunks = fc
    .tuple(
      fc.array(
        fc.constantFrom('5\r\nhello\r\n', 'a\r\n', '0\r\n', '\r\n', 'A: b\r\n', 'x', 'fff', '\n', ' ', '1\r\nx\r\n'),
        { maxLength: 12 },
      ),
    )
    .map(([parts]) => Uint8Array.from(Buffer.from(parts.join(''))));

  it('are read without a look behind their end, in steps that go on', () => {
    const steps = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(chunks, fc.uint8Array({ maxLength: 40 })), fc.nat({ max: 9 }), (octets, before) => {
        const outcomes = fills.map((fill) => {
          const around = surrounded(octets, before, fill);
          const end = before + octets.length;
          const reader = new ChunkedReader(textOf, 30);
          const outcome: unknown[] = [];
          let at = before;
          for (;;) {
            const step = reader.step(around, at, end);
            steps.add(step);
            outcome.push(step, reader.fault, reader.trailers, step === 'faulty' ? 0 : reader.at);
            if (step !== 'data') break;
            expect(reader.dataStart).toBeGreaterThanOrEqual(at);
            expect(reader.dataEnd).toBeGreaterThan(reader.dataStart);
            expect(reader.at).toBe(reader.dataEnd);
            outcome.push(textOf(around, reader.dataStart, reader.dataEnd));
            at = reader.at;
          }
          expect(reader.at).toBeLessThanOrEqual(end);
          return outcome;
        });
        for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
      }),
      { numRuns: 2_000 },
    );
    expect(steps).toEqual(new Set(['data', 'more', 'end', 'faulty']));
  });
});
