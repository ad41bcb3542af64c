import type {
  TokenVerifier,
  VerificationKey,
  VerificationKeys,
} from '../../../application/ports/agent/token-verifier.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { hmacSecret } from './hmac-secret.js';
import { HmacTokenVerifier } from './hmac-token-verifier.js';
import { unfitness } from './key-fitness.js';
import { readPublicPem } from './pem-keys.js';
import { readPublicJwk } from './public-jwk.js';
import { PublicKeyTokenVerifier } from './public-key-token-verifier.js';

/**
 * Keys from a secret, from PEM (SPKI, PKCS #1, or an X.509 certificate) and from JWKs, checked against their algorithm and
 * made ready once: nothing of a key is read again when a token comes.
 */
export class JoseVerificationKeys implements VerificationKeys {
  async prepare(key: VerificationKey): Promise<Result<TokenVerifier, string>> {
    if ('secret' in key) {
      const secret = hmacSecret(key.secret);
      return secret.ok ? ok(new HmacTokenVerifier(secret.value)) : secret;
    }
    const isJwk = 'jwk' in key;
    const publicKey = isJwk ? await readPublicJwk(key.jwk, key.algorithm) : readPublicPem(key.publicKeyPem);
    if (!publicKey.ok) return publicKey;
    const unfit = unfitness(publicKey.value, key.algorithm);
    if (unfit !== null) return err(`${isJwk ? 'is' : 'holds'} ${unfit}`);
    return ok(new PublicKeyTokenVerifier(key.algorithm, publicKey.value));
  }
}
