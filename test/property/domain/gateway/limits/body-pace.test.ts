import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstBodyWait, nextBodyWait } from '../../../../../src/domain/gateway/limits/body-pace.js';

const paces = fc.record({
  minOctetsPerSecond: fc.integer({ min: 1, max: 1_000_000 }),
  graceMs: fc.integer({ min: 1, max: 60_000 }),
});
const pieces = fc.array(
  fc.record({ octets: fc.integer({ min: 1, max: 100_000 }), afterMs: fc.integer({ min: 0, max: 30_000 }) }),
  { maxLength: 50 },
);

it('waits for a body at most the grace period plus the time at the minimum rate', () => {
  fc.assert(
    fc.property(paces, pieces, fc.nat(49), (pace, coming, from) => {
      let leftMs = firstBodyWait(pace);
      let [octets, waitedMs] = [0, 0];
      for (const [index, piece] of coming.entries()) {
        if (index >= from) {
          waitedMs += Math.min(piece.afterMs, leftMs);
          expect(waitedMs).toBeLessThanOrEqual(pace.graceMs + (octets * 1_000) / pace.minOctetsPerSecond + 1e-3);
        }
        if (piece.afterMs > leftMs) return;
        leftMs = nextBodyWait(leftMs, piece.afterMs, piece.octets, pace);
        if (index >= from) octets += piece.octets;
      }
    }),
  );
});

it('never cuts off a body at or above the minimum rate', () => {
  fc.assert(
    fc.property(paces, fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 50 }), (pace, waits) => {
      let leftMs = firstBodyWait(pace);
      for (const waitedMs of waits) {
        const part = Math.min(waitedMs, pace.graceMs);
        expect(part).toBeLessThanOrEqual(leftMs + 1e-3);
        leftMs = nextBodyWait(leftMs, part, Math.ceil((part * pace.minOctetsPerSecond) / 1_000), pace);
      }
    }),
  );
});
