import type { Result } from '../../domain/shared/result.js';
import type { Secret } from '../../domain/shared/secret.js';

/** A key that tokens are verified with, bound to the one algorithm it is for. */
export type VerificationKey =
  | { readonly algorithm: 'HS256'; readonly secret: Secret }
  | { readonly algorithm: 'RS256' | 'ES256'; readonly publicKeyPem: string };

/** Verifies the signature of tokens under one key and one algorithm; says nothing of their claims. */
export interface TokenVerifier {
  /** Whether a JWS in compact form is signed with the key. Never rejects. */
  isSigned(token: string): Promise<boolean>;
}

/** Makes keys ready for use, once, when a configuration is taken. */
export interface VerificationKeys {
  /** The error says why the key does not fit its algorithm; it holds nothing of the key. */
  prepare(key: VerificationKey): Promise<Result<TokenVerifier, string>>;
}
