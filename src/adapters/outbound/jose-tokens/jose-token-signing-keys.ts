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
import { type SignatureScheme, signatureScheme, unfitness } from './algorithm-requirements.js';
import { holdsPrivateKey, isPem, readOnePublicPem, readPrivatePem } from './pem-keys.js';
import { HmacTokenVerifier, hmacSecret, PublicKeyTokenVerifier } from './public-key-token-verifier.js';

/** The algorithms of these with a key pair. */
type KeyPairAlgorithm = Exclude<SigningAlgorithm, 'HS256'>;

/** A public key that fits its algorithm, with its thumbprint (RFC 7638, by SHA-256) for a name. */
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

/** What a JWS signs (RFC 7515, section 5.1). */
const signingInput = (header: { alg: string; typ: string; kid: string }, payload: string): string =>
  `${encoded(JSON.stringify(header))}.${encoded(payload)}`;

/** Without a dot, so that it is no signing input of a token. */
const kidLabel = 'portcullis token signing key';
const kidOctets = 16;

/**
 * HS256 (RFC 7518, section 3.2). Its `kid` is a cut HMAC of a fixed text. A thumbprint would be a
 * plain digest of the secret (RFC 7638, section 7); this one helps to guess the secret no more than
 * each token that it signs.
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

  /** A digest takes microseconds: another thread would cost more. */
  async sign(type: string, payload: string): Promise<string> {
    const input = signingInput({ alg: this.algorithm, typ: type, kid: this.kid }, payload);
    return `${input}.${this.#mac(input).toString('base64url')}`;
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text, 'utf8').digest();
  }
}

/**
 * A private key that fits its algorithm. With a callback node:crypto signs in its pool of threads.
 */
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

/** The one for RSA keys that nothing else is said of comes first. */
const keyPairAlgorithms = signingAlgorithms.filter((algorithm) => algorithm !== 'HS256');

const withoutLineEnd = (text: string): string => {
  const line = text.endsWith('\n') ? text.slice(0, -1) : text;
  return line.length < text.length && line.endsWith('\r') ? line.slice(0, -1) : line;
};

const readSecret = (text: Secret): Result<HmacSigningKey, string> => {
  const value = withoutLineEnd(text.reveal());
  // Who has the public key could sign tokens, were it taken for the secret.
  if (isPem(value)) return err('holds a key in PEM form, but HS256 needs a secret');
  const secret = hmacSecret(new Secret(value));
  return secret.ok ? ok(new HmacSigningKey(secret.value)) : secret;
};

/** Why a key is used with no algorithm of these. */
const useless = (key: KeyObject, fit: string): string => {
  if (key.asymmetricKeyType === 'rsa') return `holds ${unfitness(key, 'RS256')}`;
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return `holds a key of type ${key.asymmetricKeyType}${curve === undefined ? '' : ` on the curve ${curve}`}; ${fit}`;
};

/**
 * Whether the halves belong together: a private key in PEM brings a public one, and nobody has
 * compared them.
 */
const isWhole = async (key: SigningKey): Promise<boolean> => {
  try {
    return key.verifier.isSigned(await key.sign('probe', '{}'));
  } catch {
    return false;
  }
};

const readPrivate = async (pem: string, algorithm: KeyPairAlgorithm): Promise<Result<SigningKey, string>> => {
  const key = readPrivatePem(pem);
  if (!key.ok) return key;
  const unfit = unfitness(key.value, algorithm);
  if (unfit !== null) return err(`holds ${unfit}`);
  const signing = new PrivateSigningKey(
    key.value,
    algorithm,
    await publishedPublicKey(createPublicKey(key.value), algorithm),
  );
  return (await isWhole(signing)) ? ok(signing) : err('holds a private key whose parts do not belong together');
};

/**
 * Keys that tokens of our own are signed with, and those of clients, by node:crypto; thumbprints by
 * jose.
 */
export class JoseTokenSigningKeys implements TokenSigningKeys {
  async readSigningKey(text: Secret, algorithm: SigningAlgorithm): Promise<Result<SigningKey, string>> {
    if (algorithm === 'HS256') return readSecret(text);
    try {
      return await readPrivate(text.reveal(), algorithm);
    } catch {
      return err('holds a private key that cannot be used');
    }
  }

  async readPublishedKey(text: Secret, signing: SigningAlgorithm): Promise<Result<PublishedKey, string>> {
    const pem = text.reveal();
    if (!isPem(pem)) return signing === 'HS256' ? readSecret(text) : err('holds no key in PEM form');
    try {
      const read = holdsPrivateKey(pem) ? readPrivatePem(pem) : readOnePublicPem(pem);
      if (!read.ok) return read;
      const key = read.value.type === 'private' ? createPublicKey(read.value) : read.value;
      const fitting = keyPairAlgorithms.filter((algorithm) => unfitness(key, algorithm) === null);
      const algorithm = fitting.find((each) => each === signing) ?? fitting[0];
      return algorithm === undefined
        ? err(useless(key, 'RSA, P-256 and Ed25519 are signed with here'))
        : ok(await publishedPublicKey(key, algorithm));
    } catch {
      return err('holds a key that cannot be used');
    }
  }

  async readClientKey(pem: string): Promise<Result<readonly ClientKey[], string>> {
    const key = readOnePublicPem(pem);
    if (!key.ok) return key;
    const fitting = asymmetricAlgorithms.filter((algorithm) => unfitness(key.value, algorithm) === null);
    return fitting.length === 0
      ? err(useless(key.value, 'RSA, P-256, P-384, P-521 and Ed25519 are taken'))
      : ok(fitting.map((algorithm) => ({ algorithm, verifier: new PublicKeyTokenVerifier(algorithm, key.value) })));
  }
}
