import { createHmac, createPublicKey, createSecretKey, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type {
  ClientKey,
  PublishedKey,
  SigningKey,
  TokenSigningKeys,
} from '../../../application/ports/agent/token-signing-keys.js';
import {
  asymmetricAlgorithms,
  type SigningAlgorithm,
  signingAlgorithms,
} from '../../../domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import { keyMismatch, type SignatureScheme, signatureScheme } from './algorithm-requirements.js';
import { holdsPrivateKey, isPem, readOnePublicPem, readPrivatePem } from './pem-keys.js';
import { HmacTokenVerifier, hmacSecret, PublicKeyTokenVerifier } from './public-key-token-verifier.js';

/** The signing algorithms with a key pair. */
type KeyPairAlgorithm = Exclude<SigningAlgorithm, 'HS256'>;

/** A public key for its algorithm. The `kid` is its SHA-256 thumbprint (RFC 7638). */
const publishedPublicKey = async (key: KeyObject, algorithm: KeyPairAlgorithm): Promise<PublishedKey> => {
  const jwk = key.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk, 'sha256');
  return {
    kid,
    algorithm,
    publicJwk: { ...(jwk as JsonObject), use: 'sig', alg: algorithm, kid },
    verifier: new PublicKeyTokenVerifier(algorithm, key),
  };
};

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

/** The JWS signing input (RFC 7515, section 5.1). */
const signingInput = (header: { alg: string; typ: string; kid: string }, payload: string): string =>
  `${encoded(JSON.stringify(header))}.${encoded(payload)}`;

/** Contains no dot, so it cannot be the signing input of a token. */
const kidLabel = 'portcullis token signing key';
const kidOctets = 16;

/**
 * HS256 (RFC 7518, section 3.2). The `kid` is a truncated HMAC of a fixed text. A thumbprint would
 * be a plain digest of the secret (RFC 7638, section 7); the HMAC reveals no more than any signed
 * token.
 */
class HmacSigningKey implements SigningKey {
  readonly kid: string;
  readonly algorithm = 'HS256';
  readonly publicJwk = null;
  readonly verifier: HmacTokenVerifier;
  readonly #key: KeyObject;

  constructor(secret: Buffer) {
    this.#key = createSecretKey(secret);
    this.verifier = new HmacTokenVerifier(secret);
    this.kid = this.#mac(kidLabel).subarray(0, kidOctets).toString('base64url');
  }

  /** Signs on the calling thread: an HMAC takes microseconds. */
  async sign(type: string, payload: string): Promise<string> {
    const input = signingInput({ alg: this.algorithm, typ: type, kid: this.kid }, payload);
    return `${input}.${this.#mac(input).toString('base64url')}`;
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text, 'utf8').digest();
  }
}

/** A private key for its algorithm. Signs in the thread pool of node:crypto. */
class PrivateSigningKey implements SigningKey {
  readonly kid: string;
  readonly algorithm: KeyPairAlgorithm;
  readonly publicJwk: JsonObject | null;
  readonly verifier: PublishedKey['verifier'];
  readonly #scheme: SignatureScheme;

  constructor(key: KeyObject, algorithm: KeyPairAlgorithm, { kid, publicJwk, verifier }: PublishedKey) {
    this.kid = kid;
    this.algorithm = algorithm;
    this.publicJwk = publicJwk;
    this.verifier = verifier;
    this.#scheme = signatureScheme(algorithm, key);
  }

  sign(type: string, payload: string): Promise<string> {
    const { hash, key } = this.#scheme;
    const input = signingInput({ alg: this.algorithm, typ: type, kid: this.kid }, payload);
    return new Promise((resolve, reject) => {
      sign(hash, Buffer.from(input, 'utf8'), key, (error, signature) => {
        if (error === null) resolve(`${input}.${signature.toString('base64url')}`);
        else reject(error);
      });
    });
  }
}

/** The default algorithm for RSA keys comes first. */
const keyPairAlgorithms = signingAlgorithms.filter((algorithm) => algorithm !== 'HS256');

const withoutLineEnd = (text: string): string => {
  const line = text.endsWith('\n') ? text.slice(0, -1) : text;
  return line.length < text.length && line.endsWith('\r') ? line.slice(0, -1) : line;
};

const readSecret = (text: Secret): Result<HmacSigningKey, string> => {
  const value = withoutLineEnd(text.reveal());
  // A PEM public key used as an HMAC secret would let anyone with it sign tokens.
  if (isPem(value)) return err('holds a PEM key, but HS256 needs a secret');
  const secret = hmacSecret(new Secret(value));
  return secret.ok ? ok(new HmacSigningKey(secret.value)) : secret;
};

/** Why a key fits none of the supported algorithms. */
const unsupportedKey = (key: KeyObject, fit: string): string => {
  if (key.asymmetricKeyType === 'rsa') return `holds ${keyMismatch(key, 'RS256')}`;
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return `holds a key of type ${key.asymmetricKeyType}${curve === undefined ? '' : ` on the curve ${curve}`}; ${fit}`;
};

/**
 * Whether private and public key match. A private key in PEM contains a public one that Node does
 * not compare.
 */
const isConsistent = async (key: SigningKey): Promise<boolean> => {
  try {
    return key.verifier.isSigned(await key.sign('probe', '{}'));
  } catch {
    return false;
  }
};

const readPrivate = async (pem: string, algorithm: KeyPairAlgorithm): Promise<Result<SigningKey, string>> => {
  const key = readPrivatePem(pem);
  if (!key.ok) return key;
  const mismatch = keyMismatch(key.value, algorithm);
  if (mismatch !== null) return err(`holds ${mismatch}`);
  const signing = new PrivateSigningKey(
    key.value,
    algorithm,
    await publishedPublicKey(createPublicKey(key.value), algorithm),
  );
  return (await isConsistent(signing)) ? ok(signing) : err('holds a private key that does not match its public key');
};

/**
 * Reads the agent's signing keys and clients' public keys with node:crypto; computes thumbprints
 * with jose.
 */
export class JoseTokenSigningKeys implements TokenSigningKeys {
  async readSigningKey(text: Secret, algorithm: SigningAlgorithm): Promise<Result<SigningKey, string>> {
    if (algorithm === 'HS256') return readSecret(text);
    try {
      return await readPrivate(text.reveal(), algorithm);
    } catch {
      return err('holds an invalid private key');
    }
  }

  async readPublishedKey(text: Secret, signing: SigningAlgorithm): Promise<Result<PublishedKey, string>> {
    const pem = text.reveal();
    if (!isPem(pem)) return signing === 'HS256' ? readSecret(text) : err('holds no PEM key');
    try {
      const read = holdsPrivateKey(pem) ? readPrivatePem(pem) : readOnePublicPem(pem);
      if (!read.ok) return read;
      const key = read.value.type === 'private' ? createPublicKey(read.value) : read.value;
      const fitting = keyPairAlgorithms.filter((algorithm) => keyMismatch(key, algorithm) === null);
      const algorithm = fitting.find((each) => each === signing) ?? fitting[0];
      return algorithm === undefined
        ? err(unsupportedKey(key, 'use RSA, P-256 or Ed25519'))
        : ok(await publishedPublicKey(key, algorithm));
    } catch {
      return err('holds an invalid key');
    }
  }

  async readClientKey(pem: string): Promise<Result<readonly ClientKey[], string>> {
    const key = readOnePublicPem(pem);
    if (!key.ok) return key;
    const fitting = asymmetricAlgorithms.filter((algorithm) => keyMismatch(key.value, algorithm) === null);
    return fitting.length === 0
      ? err(unsupportedKey(key.value, 'use RSA, P-256, P-384, P-521 or Ed25519'))
      : ok(fitting.map((algorithm) => ({ algorithm, verifier: new PublicKeyTokenVerifier(algorithm, key.value) })));
  }
}
