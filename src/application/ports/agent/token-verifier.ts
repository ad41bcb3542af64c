import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** A key that verifies tokens, bound to one algorithm. */
export type VerificationKey =
  | { readonly algorithm: 'HS256'; readonly secret: Secret }
  | { readonly algorithm: AsymmetricAlgorithm; readonly publicKeyPem: string }
  /** A public JWK (RFC 7517), without private members. */
  | { readonly algorithm: AsymmetricAlgorithm; readonly jwk: JsonObject };

/** Verifies the signature of tokens with one key and one algorithm. Does not check claims. */
export interface TokenVerifier {
  /** Whether the key signed this compact JWS of three parts. Synchronous; never throws. */
  isSigned(token: string): boolean;
}

/** Imports keys when a configuration is loaded or a key set arrives. */
export interface VerificationKeys {
  /** The error says why the key does not fit its algorithm, without key material. Never rejects. */
  prepare(key: VerificationKey): Promise<Result<TokenVerifier, string>>;
}
