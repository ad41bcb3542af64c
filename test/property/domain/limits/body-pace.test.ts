import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyWaitLeft } from '../../../../src/domain/limits/body-pace.js';

const paces = fc.record({
  minOctetsPerSecond: fc.integer({ min: 1, max: 1_000_000 }),
  graceMs: fc.integer({ min: 0, max: 60_000 }),
});
const pieces = fc.array(
  fc.record({ octets: fc.integer({ min: 1, max: 100_000 }), afterMs: fc.integer({ min: 0, max: 30_000 }) }),
  { maxLength: 50 },
);

it('a body is cut off where its average is below the rate behind the grace, and nowhere else', () => {
  fc.assert(
    fc.property(paces, pieces, (pace, coming) => {
      let octets = 0;
      let waitedMs = 0;
      for (const piece of coming) {
        const left = bodyWaitLeft(octets, waitedMs, pace);
        const thenMs = waitedMs + piece.afterMs;
        const isTooSlow = thenMs > pace.graceMs && octets * 1_000 < pace.minOctetsPerSecond * thenMs;
        // A hair's breadth of rounding is nobody's time.
        if (Math.abs(piece.afterMs - left) > 1e-6) expect(piece.afterMs > left).toBe(isTooSlow);
        if (piece.afterMs > left) return;
        octets += piece.octets;
        waitedMs = thenMs;
      }
    }),
  );
});

it('no body holds its place for longer than the grace, or than its octets take at the rate', () => {
  fc.assert(
    fc.property(paces, pieces, (pace, coming) => {
      let octets = 0;
      let waitedMs = 0;
      for (const piece of coming) {
        const left = bodyWaitLeft(octets, waitedMs, pace);
        waitedMs += Math.min(piece.afterMs, left);
        expect(waitedMs).toBeLessThanOrEqual(Math.max(pace.graceMs, (octets * 1_000) / pace.minOctetsPerSecond) + 1e-6);
        if (piece.afterMs > left) return;
        octets += piece.octets;
      }
    }),
  );
});
