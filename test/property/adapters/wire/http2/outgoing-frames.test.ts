import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutgoingFrames } from '../../../../../src/adapters/wire/http2/outgoing-frames.js';
import { connectionPreface, frame, frameTypes } from '../../../../support/gateway/http2-frames.js';

const frames = fc.array(
  fc.record({
    type: fc.oneof(fc.constant(frameTypes.goaway), fc.nat(20)),
    payload: fc.uint8Array({ maxLength: 40 }),
  }),
  { maxLength: 8 },
);

/** What a reader of whole frames would say. */
const expected = (sent: readonly { readonly type: number; readonly payload: Uint8Array }[]): number =>
  sent.reduce((code, { type, payload }) => {
    if (type !== frameTypes.goaway || payload.length < 8) return code;
    return Buffer.from(payload).readUInt32BE(4) || code;
  }, 0);

it('frames that are sent in any pieces say the same', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(60)), fc.boolean(), (sent, lengths, isClient) => {
      const octets = Buffer.concat([
        isClient ? connectionPreface : Buffer.alloc(0),
        ...sent.map(({ type, payload }) => frame(type, 0, 0, payload)),
      ]);
      const watch = new OutgoingFrames(isClient ? 'client' : 'server');
      let at = 0;
      for (const length of lengths) {
        watch.take(octets.subarray(at, at + length));
        at = Math.min(octets.length, at + length);
      }
      watch.take(octets.subarray(at));
      expect(watch.errorCode).toBe(expected(sent));
    }),
  );
});
