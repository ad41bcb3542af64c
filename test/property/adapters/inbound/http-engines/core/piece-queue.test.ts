import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PieceQueue } from '../../../../../../src/adapters/inbound/http-engines/core/corked-writes.js';

const piece = fc.oneof(
  { weight: 5, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 40 }) },
  fc.uint8Array({ minLength: 1_990, maxLength: 2_100 }),
  fc.uint8Array({ minLength: 60_000, maxLength: 66_000, size: 'max' }),
);

const step = fc.oneof(
  { weight: 6, arbitrary: piece.map((octets) => ({ kind: 'push', octets }) as const) },
  { weight: 1, arbitrary: piece.map((octets) => ({ kind: 'pushFirst', octets }) as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'take' } as const) },
);

it('a queue gives the octets that it was given, in their order, and counts them', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new PieceQueue();
      let held = Buffer.alloc(0);
      for (const each of steps) {
        if (each.kind === 'push') {
          queue.push(Buffer.from(each.octets));
          held = Buffer.concat([held, each.octets]);
        } else if (each.kind === 'pushFirst') {
          queue.pushFirst(Buffer.from(each.octets));
          held = Buffer.concat([each.octets, held]);
        } else {
          const first = queue.first();
          const taken = queue.take();
          expect(taken === null).toBe(held.length === 0);
          if (taken === null) continue;
          expect(first?.equals(taken)).toBe(true);
          expect(held.subarray(0, taken.length).equals(taken)).toBe(true);
          held = held.subarray(taken.length);
        }
        expect(queue.octets).toBe(held.length);
      }
      const rest: Buffer[] = [];
      for (let taken = queue.take(); taken !== null; taken = queue.take()) rest.push(taken);
      expect(Buffer.concat(rest).equals(held)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

it('octets that come one by one are held in few pieces', () => {
  const queue = new PieceQueue();
  for (let octet = 0; octet < 100_000; octet += 1) queue.push(Buffer.from([octet & 255]));
  let pieces = 0;
  while (queue.take() !== null) pieces += 1;
  expect(pieces).toBeLessThanOrEqual(3);
});
