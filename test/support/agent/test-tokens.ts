import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AsymmetricAlgorithm, SignatureAlgorithm } from '../../../src/domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';

/** A value as a part of a token: JSON in base64url. */
export const tokenPart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/**
 * The same keys, read from text. Node 20 can stand still for ever when a key is exported as a JWK: the garbage
 * collector may come for the job that made the key, and wait for the lock that the export holds. Keys that were read
 * have no such job.
 */
export const separated = ({ publicKey, privateKey }: KeyPair): KeyPair => ({
  publicKey: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
  privateKey: createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })),
});

export const rsaPair = (modulusLength = 2048, publicExponent = 65_537): KeyPair =>
  separated(generateKeyPairSync('rsa', { modulusLength, publicExponent }));
export const ecPair = (namedCurve = 'P-256'): KeyPair => separated(generateKeyPairSync('ec', { namedCurve }));

/** A new pair for an algorithm. */
export const pairFor = (algorithm: AsymmetricAlgorithm): KeyPair => {
  switch (algorithm) {
    case 'ES256':
      return ecPair('P-256');
    case 'ES384':
      return ecPair('P-384');
    case 'ES512':
      return ecPair('P-521');
    case 'EdDSA':
      return separated(generateKeyPairSync('ed25519'));
    default:
      return rsaPair();
  }
};

export const publicPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
/** The public members of a key alone. */
export const publicJwk = (key: KeyObject): JsonObject => key.export({ format: 'jwk' }) as JsonObject;

/** RSA_PKCS1_PSS_PADDING, as OpenSSL numbers it. */
const pssPadding = 6;

/** Signs a text as a JWS does. Made by hand, so that a test can sign what no library would. */
export const signInput = (algorithm: SignatureAlgorithm, key: KeyObject | string, input: string): string => {
  const octets = Buffer.from(input);
  if (typeof key === 'string') return createHmac('sha256', key).update(octets).digest('base64url');
  if (algorithm === 'EdDSA') return sign(null, octets, key).toString('base64url');
  const bits = algorithm.slice(2);
  const hash = `sha${bits}`;
  switch (algorithm.slice(0, 2)) {
    case 'ES':
      return sign(hash, octets, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    case 'PS':
      return sign(hash, octets, { key, padding: pssPadding, saltLength: Number(bits) / 8 }).toString('base64url');
    default:
      return sign(hash, octets, key).toString('base64url');
  }
};

/** A signed token; `header` is added to what a header needs. */
export const signToken = (
  algorithm: SignatureAlgorithm,
  key: KeyObject | string,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string => {
  const input = `${tokenPart({ alg: algorithm, typ: 'JWT', ...header })}.${tokenPart(claims)}`;
  return `${input}.${signInput(algorithm, key, input)}`;
};
