import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';

/** What an algorithm asks of its key, and how its signatures are made (RFC 7518, sections 3.3 to 3.5; RFC 8037). */
export type AlgorithmRequirements =
  | { readonly family: 'rsa'; readonly hash: 'sha256' | 'sha384' | 'sha512'; readonly isPss: boolean }
  | {
      readonly family: 'ec';
      readonly hash: 'sha256' | 'sha384' | 'sha512';
      /** As RFC 7518 calls it. */
      readonly curve: string;
      /** As OpenSSL calls it. */
      readonly namedCurve: string;
      /** Of one coordinate, and of each half of a signature. */
      readonly octets: number;
    }
  | { readonly family: 'ed25519'; readonly hash: null };

export const algorithmRequirements: Readonly<Record<AsymmetricAlgorithm, AlgorithmRequirements>> = {
  RS256: { family: 'rsa', hash: 'sha256', isPss: false },
  RS384: { family: 'rsa', hash: 'sha384', isPss: false },
  RS512: { family: 'rsa', hash: 'sha512', isPss: false },
  PS256: { family: 'rsa', hash: 'sha256', isPss: true },
  PS384: { family: 'rsa', hash: 'sha384', isPss: true },
  PS512: { family: 'rsa', hash: 'sha512', isPss: true },
  ES256: { family: 'ec', hash: 'sha256', curve: 'P-256', namedCurve: 'prime256v1', octets: 32 },
  ES384: { family: 'ec', hash: 'sha384', curve: 'P-384', namedCurve: 'secp384r1', octets: 48 },
  ES512: { family: 'ec', hash: 'sha512', curve: 'P-521', namedCurve: 'secp521r1', octets: 66 },
  EdDSA: { family: 'ed25519', hash: null },
};
