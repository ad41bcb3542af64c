import type { webcrypto } from 'node:crypto';
import { compactVerify } from 'jose';
import type { TokenVerifier } from '../../../application/ports/token-verifier.js';
import type { JwtAlgorithm } from '../../../domain/configuration/agent-configuration.js';

/** Verifies signatures with jose, under one key and the one algorithm it is for. */
export class JoseTokenVerifier implements TokenVerifier {
  readonly #key: webcrypto.CryptoKey;
  readonly #options: { readonly algorithms: string[] };

  constructor(algorithm: JwtAlgorithm, key: webcrypto.CryptoKey) {
    this.#key = key;
    this.#options = { algorithms: [algorithm] };
  }

  async isSigned(token: string): Promise<boolean> {
    try {
      await compactVerify(token, this.#key, this.#options);
      return true;
    } catch {
      return false;
    }
  }
}
