import { createPublicKey, KeyObject, type webcrypto } from 'node:crypto';
import { importJWK, type JWK } from 'jose';
import type {
  TokenVerifier,
  VerificationKey,
  VerificationKeys,
} from '../../../application/ports/agent/token-verifier.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { algorithmRequirements, keyMismatch } from './algorithm-requirements.js';
import { readPublicPem } from './pem-keys.js';
import { HmacTokenVerifier, hmacSecret, PublicKeyTokenVerifier } from './public-key-token-verifier.js';

/** Members of private and symmetric keys only (RFC 7518, sections 6.2.2, 6.3.2 and 6.4). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const ed25519Octets = 32;

/** The public members of a key, with their exact lengths in octets; null: any length. */
interface PublicMembers {
  readonly kty: string;
  readonly crv: string | null;
  readonly lengths: Readonly<Record<string, number | null>>;
}

const membersOf = (algorithm: AsymmetricAlgorithm): PublicMembers => {
  const needs = algorithmRequirements[algorithm];
  switch (needs.family) {
    case 'rsa':
      return { kty: 'RSA', crv: null, lengths: { n: null, e: null } };
    case 'ec':
      return { kty: 'EC', crv: needs.curve, lengths: { x: needs.octets, y: needs.octets } };
    case 'ed25519':
      return { kty: 'OKP', crv: 'Ed25519', lengths: { x: ed25519Octets } };
  }
};

const isNumberOf = (value: JsonValue | undefined, octets: number | null): boolean => {
  const decoded = typeof value === 'string' ? decodeBase64(value, 'url') : null;
  return decoded !== null && decoded.length > 0 && (octets === null || decoded.length === octets);
};

const jwkFault = (jwk: JsonObject, { kty, crv, lengths }: PublicMembers, algorithm: string): string | null => {
  if (secretMembers.some((name) => Object.hasOwn(jwk, name))) return 'has private members';
  if (jwk['kty'] !== kty) return `has the wrong type; ${algorithm} needs ${kty}`;
  if (crv !== null && jwk['crv'] !== crv) return `has the wrong curve; ${algorithm} needs ${crv}`;
  for (const [name, octets] of Object.entries(lengths)) {
    if (!isNumberOf(jwk[name], octets)) return `has no usable member ${name}`;
  }
  return null;
};

const imported = async (jwk: JWK, algorithm: AsymmetricAlgorithm): Promise<KeyObject> => {
  // jose imports with WebCrypto, whose Ed25519 is experimental in Node 20 and prints a warning.
  if (algorithm === 'EdDSA') return createPublicKey({ key: jwk, format: 'jwk' });
  return KeyObject.from((await importJWK(jwk, algorithm)) as webcrypto.CryptoKey);
};

/**
 * Reads a public JWK for an algorithm (RFC 7518, section 6; RFC 8037, section 2). Never rejects.
 */
const readPublicJwk = async (jwk: JsonObject, algorithm: AsymmetricAlgorithm): Promise<Result<KeyObject, string>> => {
  const members = membersOf(algorithm);
  const malformed = jwkFault(jwk, members, algorithm);
  if (malformed !== null) return err(malformed);
  // Drops metadata such as `use` and `kid`; the key set checks them.
  const bare: Record<string, JsonValue | undefined> = { kty: members.kty };
  if (members.crv !== null) bare['crv'] = members.crv;
  for (const name of Object.keys(members.lengths)) bare[name] = jwk[name];
  try {
    return ok(await imported(bare as JWK, algorithm));
  } catch {
    return err(`is not a valid key for ${algorithm}`);
  }
};

/**
 * Verification keys from a secret, PEM (SPKI, PKCS #1 or an X.509 certificate) or JWKs. Parses a
 * key and checks its algorithm once, not per token.
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
    const mismatch = keyMismatch(publicKey.value, key.algorithm);
    if (mismatch !== null) return err(`${isJwk ? 'is' : 'holds'} ${mismatch}`);
    return ok(new PublicKeyTokenVerifier(key.algorithm, publicKey.value));
  }
}
