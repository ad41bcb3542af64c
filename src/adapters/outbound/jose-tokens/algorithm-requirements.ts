import { constants, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { rsaKeyFault } from '../../../domain/shared/rsa-key-rules.js';

/** A split JWS in compact form. */
interface SplitJws {
  /** The signing input: header and payload with the dot (RFC 7515, section 5.2). */
  readonly input: Buffer;
  readonly signature: Buffer;
}

/**
 * Splits a token. Returns null if it has fewer than three parts, or if the signature is not exactly
 * `signatureOctets` in canonical base64url. Node's decoder alone would accept padding, foreign
 * characters and leftover bits.
 */
export const splitJws = (token: string, signatureOctets: number): SplitJws | null => {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  const text = token.slice(second + 1);
  if (first < 0 || second < 0 || text.length !== Math.ceil((signatureOctets * 4) / 3)) return null;
  const signature = Buffer.from(text, 'base64url');
  if (signature.length !== signatureOctets || signature.toString('base64url') !== text) return null;
  return { input: Buffer.from(token.slice(0, second), 'utf8'), signature };
};

/** Arguments of `sign` and `verify` of node:crypto, for a key that fits its algorithm. */
export interface SignatureScheme {
  readonly hash: string | null;
  readonly key: SignKeyObjectInput;
  readonly signatureOctets: number;
}

const ed25519SignatureOctets = 64;

/**
 * The JWS signature scheme of an algorithm (RFC 7518, sections 3.3 to 3.5; RFC 8037, section 3.1).
 */
export const signatureScheme = (algorithm: AsymmetricAlgorithm, key: KeyObject): SignatureScheme => {
  const needs = algorithmRequirements[algorithm];
  const { hash } = needs;
  switch (needs.family) {
    case 'rsa': {
      const signatureOctets = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
      const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST } = constants;
      return needs.isPss
        ? { hash, signatureOctets, key: { key, padding: RSA_PKCS1_PSS_PADDING, saltLength: RSA_PSS_SALTLEN_DIGEST } }
        : { hash, signatureOctets, key: { key, padding: RSA_PKCS1_PADDING } };
    }
    case 'ec':
      return { hash, signatureOctets: 2 * needs.octets, key: { key, dsaEncoding: 'ieee-p1363' } };
    case 'ed25519':
      return { hash, signatureOctets: ed25519SignatureOctets, key: { key } };
  }
};

/** Why a key does not fit an algorithm; null if it fits. */
export const keyMismatch = (key: KeyObject, algorithm: AsymmetricAlgorithm): string | null => {
  const needs = algorithmRequirements[algorithm];
  const type = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails;
  switch (needs.family) {
    case 'rsa':
      if (type !== 'rsa') return `a key of type ${type}, but ${algorithm} needs RSA`;
      return rsaKeyFault(details?.modulusLength ?? 0, details?.publicExponent ?? 0n);
    case 'ec':
      if (type !== 'ec') return `a key of type ${type}, but ${algorithm} needs ${needs.curve}`;
      return details?.namedCurve === needs.namedCurve
        ? null
        : `a key on the curve ${details?.namedCurve}, but ${algorithm} needs ${needs.curve}`;
    case 'ed25519':
      return type === 'ed25519' ? null : `a key of type ${type}, but ${algorithm} needs Ed25519`;
  }
};

/**
 * Key requirements and signature format of an algorithm (RFC 7518, sections 3.3 to 3.5; RFC 8037).
 */
export type AlgorithmRequirements =
  | { readonly family: 'rsa'; readonly hash: 'sha256' | 'sha384' | 'sha512'; readonly isPss: boolean }
  | {
      readonly family: 'ec';
      readonly hash: 'sha256' | 'sha384' | 'sha512';
      /** Name in RFC 7518. */
      readonly curve: string;
      /** Name in OpenSSL. */
      readonly namedCurve: string;
      /** Octets of one coordinate and of each signature half. */
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
