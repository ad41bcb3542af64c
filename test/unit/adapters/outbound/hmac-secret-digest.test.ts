import { describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';

describe('HmacSecretDigest', () => {
  it('gives digests of one length, equal where the secrets are', () => {
    const digest = new HmacSecretDigest();
    expect(digest.digest('')).toHaveLength(digest.digest('x'.repeat(10_000)).length);
    expect(digest.equal(digest.digest('a'), digest.digest('a'))).toBe(true);
    expect(digest.equal(digest.digest('a'), digest.digest('b'))).toBe(false);
    expect(digest.equal(digest.digest('a'), '')).toBe(false);
  });

  it('has a key of its own, so that nobody can tell a digest beforehand', () => {
    expect(new HmacSecretDigest().digest('a')).not.toBe(new HmacSecretDigest().digest('a'));
  });

  it('knows SHA-256 as everybody does', () => {
    // FIPS 180-2, appendix B.1.
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(new HmacSecretDigest().sha256Hex('abc')).toBe(abc);
  });
});
