import { createPublicKey, type KeyObject } from 'node:crypto';
import type { TokenVerifier, VerificationKey, VerificationKeys } from '../../../application/ports/token-verifier.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { HmacTokenVerifier } from './hmac-token-verifier.js';
import { unfitness } from './key-fitness.js';
import { readPublicJwk } from './public-jwk.js';
import { PublicKeyTokenVerifier } from './public-key-token-verifier.js';

/** Octets of an HS256 secret, at the least (RFC 7518, section 3.2). */
const minimumSecretOctets = 32;

const readPublicPem = (pem: string): Result<KeyObject, string> => {
  // A public key could be derived from a private one, but a verifier that holds one is a leak in waiting.
  if (pem.includes('PRIVATE KEY')) return err('holds a private key; the public one is needed');
  try {
    return ok(createPublicKey(pem));
  } catch {
    return err('holds no public key in PEM form');
  }
};

/**
 * Keys from a secret, from PEM (SPKI, PKCS #1, or an X.509 certificate) and from JWKs, checked against their algorithm and
 * made ready once: nothing of a key is read again when a token comes.
 */
export class JoseVerificationKeys implements VerificationKeys {
  async prepare(key: VerificationKey): Promise<Result<TokenVerifier, string>> {
    if ('secret' in key) {
      const secret = Buffer.from(key.secret.reveal(), 'utf8');
      if (secret.length < minimumSecretOctets) return err(`has fewer than ${minimumSecretOctets} bytes`);
      return ok(new HmacTokenVerifier(secret));
    }
    const isJwk = 'jwk' in key;
    const publicKey = isJwk ? await readPublicJwk(key.jwk, key.algorithm) : readPublicPem(key.publicKeyPem);
    if (!publicKey.ok) return publicKey;
    const unfit = unfitness(publicKey.value, key.algorithm);
    if (unfit !== null) return err(`${isJwk ? 'is' : 'holds'} ${unfit}`);
    return ok(new PublicKeyTokenVerifier(key.algorithm, publicKey.value));
  }
}
