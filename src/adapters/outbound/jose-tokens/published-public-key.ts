import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { PublishedKey } from '../../../application/ports/agent/token-signing-keys.js';
import type { SigningAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { PublicKeyTokenVerifier } from './public-key-token-verifier.js';

/** The algorithms of these with a key pair. */
export type KeyPairAlgorithm = Exclude<SigningAlgorithm, 'HS256'>;

/** A public key that fits its algorithm, with its thumbprint (RFC 7638, by SHA-256) for a name. */
export const publishedPublicKey = async (key: KeyObject, algorithm: KeyPairAlgorithm): Promise<PublishedKey> => {
  const jwk = key.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk, 'sha256');
  return {
    kid,
    algorithm,
    publicJwk: { ...(jwk as JsonObject), use: 'sig', alg: algorithm, kid },
    verifier: new PublicKeyTokenVerifier(algorithm, key),
  };
};
