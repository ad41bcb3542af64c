import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lengthInPieces,
  noBody,
  unknownLength,
  upstreamRequestHead,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/upstream-request-head.js';
import { type RequestLines, requestLines } from '../../../../../../src/adapters/wire/http1/head-lines.js';
import { fieldLines } from '../../../../../../src/adapters/wire/http1/head-text.js';
import { FieldNames, fieldList } from '../../../../../../src/adapters/wire/http1/message-head.js';
import { requestHead as headRead, readRequestHead } from '../../../../../../src/adapters/wire/http1/read-head.js';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { fieldTraits } from '../../../../../../src/domain/http/field-traits.js';
import { octetsOf } from '../../../../../support/gateway/http1-stream.js';

const names = new FieldNames(fieldTraits);

type Pair = readonly [name: string, value: string];

const harmless = fc.constantFrom<Pair>(['Accept', 'a'], ['X-A', 'b'], ['X-B', ''], ['Transferring', 'c']);
const meaningful = fc.constantFrom<Pair>(
  ['Host', 'a'],
  ['host', 'b'],
  ['Content-Length', '3'],
  ['content-length', '03'],
  ['Connection', 'close'],
  ['Transfer-Encoding', 'chunked'],
  ['Upgrade', 'h2c'],
  ['Keep-Alive', 'a'],
  ['Expect', '100-continue'],
  ['TE', 'trailers'],
  ['te', 'gzip'],
);
const pair = fc.oneof({ weight: 3, arbitrary: harmless }, { weight: 2, arbitrary: meaningful });

const receivedLines = (pairs: readonly Pair[]): RequestLines | null => {
  const text = `GET / HTTP/1.1\r\n${fieldLines(pairs.flat())}\r\n`;
  if (readRequestHead(octetsOf(text), 0, text.length, 65_536) !== text.length) return null;
  return requestLines(text, headRead, fieldList(text, headRead, names), names);
};

const requestOf = (headers: readonly string[], method: string, isUpgrade: boolean): UpstreamRequest => ({
  method,
  target: '/',
  headers,
  received: null,
  body: null,
  upgradeToWebSocket: isUpgrade,
  timeoutMs: 1_000,
  readMs: null,
  configuredTimeoutMs: 1_000,
});

/** What is made of it, or why nothing is. */
const outcome = (make: () => string | number): string => {
  try {
    return String(make());
  } catch (error) {
    return String(error);
  }
};

describe('the head of a request to an upstream', () => {
  it('is the same, or refused alike, with the head that the request came with', () => {
    const counts = { same: 0, refused: 0 };
    const changes = fc.record({
      from: fc.nat({ max: 6 }),
      removed: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) }),
      put: fc.array(pair, { maxLength: 3 }),
    });
    const octets = fc.constantFrom(noBody, unknownLength, 0, 3, 4);
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 3, arbitrary: harmless }, pair), { minLength: 1, maxLength: 6 }),
        changes,
        fc.constantFrom('GET', 'POST'),
        octets,
        fc.boolean(),
        (sent, { from, removed, put }, method, bodyOctets, isUpgrade) => {
          const received = receivedLines(sent);
          fc.pre(received !== null);
          const headers = received.fields.toSpliced(Math.min(from, sent.length) * 2, removed * 2, ...put.flat());
          const plain = requestOf(headers, method, isUpgrade);
          const known = { ...plain, received };
          const host = { authority: 'target', replacesHost: false };
          const expected = outcome(() => upstreamRequestHead(plain, host, bodyOctets));
          expect(outcome(() => upstreamRequestHead(known, host, bodyOctets))).toBe(expected);
          expect(outcome(() => lengthInPieces(known))).toBe(outcome(() => lengthInPieces(plain)));
          counts[expected.includes('Error') ? 'refused' : 'same'] += 1;
        },
      ),
      { numRuns: 3_000 },
    );
    expect(counts.same).toBeGreaterThan(300);
    expect(counts.refused).toBeGreaterThan(300);
  });
});
