import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** A key that tokens are verified with, bound to the one algorithm it is for. */
export type VerificationKey =
  | { readonly algorithm: 'HS256'; readonly secret: Secret }
  | { readonly algorithm: AsymmetricAlgorithm; readonly publicKeyPem: string }
  /** A public JWK (RFC 7517), without private members. */
  | { readonly algorithm: AsymmetricAlgorithm; readonly jwk: JsonObject };

/** Verifies the signature of tokens under one key and one algorithm; says nothing of their claims. */
export interface TokenVerifier {
  /** Whether a JWS in compact form, three parts, is signed with the key. Answers at once, never throws. */
  isSigned(token: string): boolean;
}

/** Makes keys ready for use, once, when a configuration is taken or a key set arrives. */
export interface VerificationKeys {
  /** The error says why the key does not fit its algorithm; it holds nothing of the key. Never rejects. */
  prepare(key: VerificationKey): Promise<Result<TokenVerifier, string>>;
}
