import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChunkedReader } from '../../../../../src/adapters/wire/http1/chunked-reader.js';
import { HeadBuffer } from '../../../../../src/adapters/wire/http1/head-buffer.js';
import { cut, hostileStream } from '../../../../support/gateway/http1-arbitraries.js';
import { octetsOf, readPieces, textOf } from '../../../../support/gateway/http1-stream.js';

afterEach(() => vi.restoreAllMocks());

/**
 * Readings of one head, together, for each of its octets: each reading is of twice as many as the one before, or the
 * last.
 */
const mostLooks = 4;

/** The octets, each look at one of which is counted. */
const counting = (octets: Uint8Array, looks: { octets: number }): Uint8Array =>
  new Proxy(octets, {
    get: (whole, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks.octets += 1;
      const value: unknown = Reflect.get(whole, key);
      return typeof value === 'function' ? value.bind(whole) : value;
    },
  });

const long = 'a'.repeat(20_000);
const fields = 'a: b\r\n'.repeat(3_000);

describe('what comes octet by octet', () => {
  it.each<[string, string]>([
    ['a long first line', `GET /${long} HTTP/1.1\r\n\r\n`],
    ['a long field', `GET / HTTP/1.1\r\nA: ${long}\r\n\r\n`],
    ['many fields', `GET / HTTP/1.1\r\n${fields}\r\n`],
    ['many empty lines before it', `${'\r\n'.repeat(10_000)}GET / HTTP/1.1\r\n\r\n`],
    ['a head that does not end', `GET / HTTP/1.1\r\n${fields}`],
    ['a head and many line feeds', `GET / HTTP/1.1\r\n${'\n'.repeat(5_000)}`],
    ['many heads', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(300)],
  ])('costs in proportion to its length: %s', (_, text) => {
    const { octetsShown } = readPieces('request', cut(octetsOf(text), 'each'));
    expect(octetsShown).toBeLessThanOrEqual(text.length * mostLooks);
  });

  it('costs in proportion to its length, whatever it is', () => {
    fc.assert(
      fc.property(hostileStream('request'), (octets) => {
        const { octetsShown } = readPieces('request', cut(octets, 'each'));
        expect(octetsShown).toBeLessThanOrEqual(octets.length * mostLooks);
      }),
      { numRuns: 500 },
    );
  });

  it('costs in proportion to its length in trailers', () => {
    let octetsShown = 0;
    const octets = Object.getOwnPropertyDescriptor(HeadBuffer.prototype, 'octets')?.get;
    vi.spyOn(HeadBuffer.prototype, 'octets', 'get').mockImplementation(function (this: HeadBuffer): Uint8Array {
      octetsShown += this.length;
      return octets?.call(this) as Uint8Array;
    });
    const text = `0\r\n${fields}\r\n`;
    const reader = new ChunkedReader(textOf, 65_536);
    const steps = Array.from(octetsOf(text), (octet) => reader.step(Uint8Array.of(octet), 0, 1));
    expect([steps.indexOf('end'), reader.trailers.length]).toEqual([text.length - 1, 6_000]);
    expect(octetsShown).toBeGreaterThanOrEqual(text.length - 3);
    expect(octetsShown).toBeLessThanOrEqual(text.length * mostLooks);
  });

  it('costs a step or two for each octet in chunks of one octet', () => {
    const text = `${'1\r\na\r\n'.repeat(5_000)}0\r\n\r\n`;
    for (const pieces of [[octetsOf(text)], cut(octetsOf(text), 'each')]) {
      const looks = { octets: 0 };
      const reader = new ChunkedReader(textOf, 1_024);
      let chunks = 0;
      for (const piece of pieces) {
        const counted = counting(piece, looks);
        let at = 0;
        while (reader.step(counted, at, piece.length) === 'data') {
          chunks += 1;
          at = reader.at;
        }
      }
      expect(chunks).toBe(5_000);
      expect(looks.octets).toBeGreaterThan(text.length / 2);
      expect(looks.octets).toBeLessThanOrEqual(text.length * 2);
    }
  });
});
