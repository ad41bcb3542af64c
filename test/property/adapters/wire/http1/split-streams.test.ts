import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, cuts, hostileStream } from '../../../../support/gateway/http1-arbitraries.js';
import { type Http1Stream, readPieces } from '../../../../support/gateway/http1-stream.js';

const outcome = ({ messages, ending, octetsBehind }: Http1Stream) => ({ messages, ending, octetsBehind });

const emptyLines = Uint8Array.from([13, 10, 13, 10]);

const limits = fc.constantFrom([65_536, 16_384], [60, 20], [120, 8]);

describe.each(['request', 'response'] as const)('a stream of %ss', (kind) => {
  it('is read alike, however it is cut', () => {
    const endings = new Set<string>();
    fc.assert(
      fc.property(hostileStream(kind), cuts, limits, (octets, places, [head, trailers]) => {
        const whole = readPieces(kind, [octets], head, trailers);
        const pieces = cut(octets, places);
        expect(Buffer.concat(pieces).equals(octets)).toBe(true);
        const soFar = outcome(readPieces(kind, pieces, head, trailers));
        // What is held of a head or of trailers is not read again with every piece: a fault in it shows with the
        // empty line at the latest.
        const isLate = soFar.ending === 'within' && whole.ending !== 'within';
        const read = isLate ? outcome(readPieces(kind, [...pieces, emptyLines], head, trailers)) : soFar;
        // What lies behind a fault is not told of: how much of it came with the fault depends on the cuts.
        expect(read).toEqual(outcome(whole));
        endings.add(whole.ending);
      }),
      { numRuns: 3_000 },
    );
    // The streams come to every kind of end.
    expect([...endings]).toEqual(
      expect.arrayContaining(['between', 'within', 'closed', 'tunnel', 'head_too_large', 'invalid_line_end']),
    );
    expect(endings.size).toBeGreaterThan(12);
  });
});
