import { type KeyObject, sign } from 'node:crypto';
import type { PublishedKey, SigningKey } from '../../../application/ports/agent/token-signing-keys.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { KeyPairAlgorithm } from './published-public-key.js';
import { type SignatureScheme, signatureScheme } from './signature-scheme.js';
import { signingInput } from './signing-input.js';

/** A private key that fits its algorithm. With a callback node:crypto signs in its pool of threads. */
export class PrivateSigningKey implements SigningKey {
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
