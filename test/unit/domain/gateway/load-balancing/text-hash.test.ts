import { describe, expect, it } from 'vitest';
import { mixed, textHash } from '../../../../../src/domain/gateway/load-balancing/consistent-hash.js';

describe('textHash', () => {
  it('is a 32-bit integer that differs for another text', () => {
    const texts = Array.from({ length: 10_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}:8080`);
    const hashes = texts.map(textHash);
    for (const hash of hashes) expect(hash >>> 0).toBe(hash);
    expect(new Set(hashes).size).toBe(texts.length);
  });

  it('is stable across versions', () => {
    expect(textHash('')).toBe(mixed(0x811c9dc5));
    expect(textHash('10.0.0.1:8080').toString(16)).toBe('bbc751b3');
  });

  it('distinguishes characters above their lowest octet', () => {
    expect(textHash('\u0141')).not.toBe(textHash('A'));
  });
});
