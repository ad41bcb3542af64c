import { describe, expect, it } from 'vitest';
import { utf8ByteString } from '../../../../src/domain/shared/byte-string.js';

describe('utf8ByteString', () => {
  it.each(['', 'plain', '\u007f\u0080\u07ff\u0800\uffff', 'h\u00e9llo \u4e16\u754c \u{1f600}', '\ud800x', 'x\udc00'])(
    'writes %j as Node does',
    (text) => {
      expect(utf8ByteString(text)).toBe(Buffer.from(text, 'utf8').toString('latin1'));
    },
  );
});
