import type { AsymmetricAlgorithm, SigningAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { TokenVerifier } from './token-verifier.js';

/** A key that tokens of our own are verified with. */
export interface PublishedKey {
  /**
   * The thumbprint of the key (RFC 7638), so that it stays the same wherever the key is used; for a secret a name that
   * says no more of it than a token does (RFC 7638, section 7).
   */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** With `kid`, `alg` and `use`, and no private member (RFC 7517, section 4); null: a secret, which nobody gets. */
  readonly publicJwk: JsonObject | null;
  readonly verifier: TokenVerifier;
}

/** A key that signs tokens. */
export interface SigningKey extends PublishedKey {
  /**
   * Signs a payload, JSON, off the calling thread: the JWS in compact form, whose header has `alg`, `kid` and this `typ`.
   * Rejects where the cryptography fails.
   */
  sign(type: string, payload: string): Promise<string>;
}

/** A key of a client with one of the algorithms that it may use. */
export interface ClientKey {
  readonly algorithm: AsymmetricAlgorithm;
  readonly verifier: TokenVerifier;
}

/** Makes the keys of token exchange ready, once. Errors are one clause, as in `holds no private key in PEM form`, with nothing of the key. Never rejects. */
export interface TokenSigningKeys {
  /**
   * @param text what the file holds: for HS256 the secret, of 32 octets at least, one line end at its end not counted; else a private key
   *   in PEM without a pass phrase, which has to fit the algorithm
   */
  readSigningKey(text: Secret, algorithm: SigningAlgorithm): Promise<Result<SigningKey, string>>;
  /**
   * A key that is only published, private or public, PEM (or, beside an HS256 key, a secret).
   *
   * @param signing the algorithm that is signed with: it is that of the key where the key fits it, else the usual one of its type
   */
  readPublishedKey(text: Secret, signing: SigningAlgorithm): Promise<Result<PublishedKey, string>>;
  /** The public key of a client, PEM: one entry for each algorithm that such a key is used with here. */
  readClientKey(pem: string): Promise<Result<readonly ClientKey[], string>>;
}
