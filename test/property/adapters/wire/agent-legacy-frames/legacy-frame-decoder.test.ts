import fc from 'fast-check';
import { expect, it } from 'vitest';
import { legacyFrame } from '../../../../../src/adapters/wire/agent-legacy-frames/legacy-frame.js';
import { LegacyFrameDecoder } from '../../../../../src/adapters/wire/agent-legacy-frames/legacy-frame-decoder.js';

const cut = (octets: Uint8Array, sizes: readonly number[]): Uint8Array[] => {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (let index = 0; at < octets.length; index += 1) {
    const size = sizes[index % sizes.length] as number;
    pieces.push(octets.slice(at, at + size));
    at += size;
  }
  return pieces;
};

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 200_000 })), {
  minLength: 1,
  maxLength: 20,
});

it('gives out what was sent, however the reads are split', () => {
  const text = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.nat({ max: 150_000 }).map((length) => `x${'y'.repeat(length)}`),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), sizes, (texts, pieces) => {
      const stream = Buffer.concat(texts.map((sent) => legacyFrame(sent) as Uint8Array));
      const decoder = new LegacyFrameDecoder();
      const read: string[] = [];
      for (const piece of cut(stream, pieces)) {
        decoder.push(piece);
        for (let payload = decoder.next(); payload !== null; payload = decoder.next()) {
          read.push(Buffer.from(payload).toString('utf8'));
        }
      }
      expect(read).toEqual(texts.map((sent) => Buffer.from(sent).toString('utf8')));
      expect([decoder.failure, decoder.hasBegun, decoder.isInsideFrame]).toEqual([null, false, false]);
    }),
    { numRuns: 60 },
  );
});

it('stops at the first length that none may have, and gives nothing out after it', () => {
  const lengths = fc.oneof(fc.constant(0), fc.integer({ min: 10_485_761, max: 0xffff_ffff }));
  fc.assert(
    fc.property(lengths, fc.uint8Array({ maxLength: 50 }), sizes, (length, rest, pieces) => {
      const stream = Buffer.concat([legacyFrame('{}') as Uint8Array, Buffer.alloc(4), rest]);
      stream.writeUInt32BE(length, 6);
      const decoder = new LegacyFrameDecoder();
      let given = 0;
      for (const piece of cut(stream, pieces)) {
        decoder.push(piece);
        while (decoder.next() !== null) given += 1;
      }
      expect([given, decoder.failure === null]).toEqual([1, false]);
    }),
  );
});
