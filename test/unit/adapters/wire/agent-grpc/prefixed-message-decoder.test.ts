import { describe, expect, it } from 'vitest';
import {
  maximumMessageBytes,
  PrefixedMessageDecoder,
} from '../../../../../src/adapters/wire/agent-grpc/prefixed-message-decoder.js';

const prefix = (length: number, flag = 0): Uint8Array =>
  Uint8Array.of(flag, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff);

const failureOf = (...chunks: readonly Uint8Array[]): string | null => {
  const decoder = new PrefixedMessageDecoder();
  for (const chunk of chunks) decoder.push(chunk);
  expect(decoder.next()).toBeNull();
  return decoder.failure;
};

describe('a PrefixedMessageDecoder', () => {
  it('gives an empty message as soon as its prefix is there', () => {
    const decoder = new PrefixedMessageDecoder();
    decoder.push(prefix(0).subarray(0, 4));
    expect([decoder.next(), decoder.hasBegun]).toEqual([null, true]);
    decoder.push(prefix(0).subarray(4));
    expect(decoder.next()).toEqual(new Uint8Array(0));
    expect([decoder.next(), decoder.hasBegun, decoder.heldBytes]).toEqual([null, false, 0]);
  });

  it('takes the longest message there may be, and none that is longer by an octet', () => {
    expect(failureOf(prefix(maximumMessageBytes))).toBeNull();
    expect(failureOf(prefix(maximumMessageBytes + 1))).toBe('a message of 16777217 octets');
    expect(failureOf(prefix(0xffff_ffff))).toBe('a message of 4294967295 octets');
  });

  it('refuses what is compressed, or flagged otherwise, though it be empty', () => {
    expect(failureOf(prefix(0, 1))).toBe('a compressed message');
    expect(failureOf(prefix(3, 0x80))).toBe('a message with an unknown flag');
  });

  it('holds memory for what has come, not for what was announced', () => {
    const decoder = new PrefixedMessageDecoder();
    decoder.push(prefix(maximumMessageBytes));
    decoder.push(new Uint8Array(10));
    expect(decoder.next()).toBeNull();
    expect(decoder.heldBytes).toBeLessThan(100_000);
  });
});
