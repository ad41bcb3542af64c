import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeBase64 } from '../../../../../src/adapters/wire/agent-messages/base64-encoding.js';

it('encodeBase64 writes what Node writes, also of a part of a larger buffer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.nat({ max: 7 }), (bytes, from) => {
      const part = bytes.subarray(Math.min(from, bytes.length));
      expect(encodeBase64(part)).toBe(Buffer.from(part).toString('base64'));
    }),
  );
});
