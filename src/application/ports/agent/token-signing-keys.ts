import type { AsymmetricAlgorithm, SigningAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { TokenVerifier } from './token-verifier.js';

/** A key that verifies the tokens issued here. */
export interface PublishedKey {
  /**
   * The thumbprint of the key (RFC 7638), the same wherever the key is used. For a secret, a name
   * that reveals no more than a token does (RFC 7638, section 7).
   */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /**
   * The key with `kid`, `alg` and `use`, without private members (RFC 7517, section 4). Null for a
   * secret, which is never published.
   */
  readonly publicJwk: JsonObject | null;
  readonly verifier: TokenVerifier;
}

/** A key that signs tokens. */
export interface SigningKey extends PublishedKey {
  /**
   * Signs a JSON payload off the calling thread. Returns a compact JWS whose header has `alg`,
   * `kid` and this `typ`. Rejects if the cryptography fails.
   */
  sign(type: string, payload: string): Promise<string>;
}

/** A key of a client, with one algorithm that it may use. */
export interface ClientKey {
  readonly algorithm: AsymmetricAlgorithm;
  readonly verifier: TokenVerifier;
}

/**
 * Reads the keys of token exchange. Errors are one clause without key material, as in `holds no
 * private key in PEM form`. Never rejects.
 */
export interface TokenSigningKeys {
  /**
   * @param text content of the file. HS256: a secret of at least 32 octets, not counting one final
   * line end. Otherwise a PEM private key without a pass phrase that fits the algorithm
   */
  readSigningKey(text: Secret, algorithm: SigningAlgorithm): Promise<Result<SigningKey, string>>;
  /**
   * Reads a key that is only published, private or public, in PEM; or a secret beside an HS256 key.
   * @param signing algorithm of the signing key. The published key gets it if it fits, else the
   * usual algorithm of its type
   */
  readPublishedKey(text: Secret, signing: SigningAlgorithm): Promise<Result<PublishedKey, string>>;
  /** Reads the PEM public key of a client: one entry for each supported algorithm of such a key. */
  readClientKey(pem: string): Promise<Result<readonly ClientKey[], string>>;
}
