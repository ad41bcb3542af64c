import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningKey } from '../../../application/ports/agent/token-signing-keys.js';
import { HmacTokenVerifier } from './hmac-token-verifier.js';
import { signingInput } from './signing-input.js';

/** Without a dot, so that it is no signing input of a token. */
const kidLabel = 'portcullis token signing key';
const kidOctets = 16;

/**
 * HS256 (RFC 7518, section 3.2). Its `kid` is a cut HMAC of a fixed text. A thumbprint would be a plain digest of the
 * secret (RFC 7638, section 7); this one helps to guess the secret no more than each token that it signs.
 */
export class HmacSigningKey implements SigningKey {
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
