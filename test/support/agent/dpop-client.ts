import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** What a proof is for. */
export interface ProofRequest {
  readonly url: string;
  readonly method?: string;
  /** The access token; none at a token endpoint. */
  readonly token?: string;
  /** Other claims than a correct client sends. */
  readonly claims?: JWTPayload;
}

/** A client with a key of its own, which signs DPoP proofs (RFC 9449) with the package jose. */
export class DpopClient {
  readonly #key: CryptoKey;
  readonly #jwk: JWK;

  private constructor(key: CryptoKey, jwk: JWK) {
    this.#key = key;
    this.#jwk = jwk;
  }

  static async create(): Promise<DpopClient> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return new DpopClient(privateKey, await exportJWK(publicKey));
  }

  proof({ url, method = 'GET', token, claims = {} }: ProofRequest): Promise<string> {
    const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
    const iat = Math.floor(Date.now() / 1000);
    return new SignJWT({ jti: randomUUID(), htm: method, htu: url, iat, ...ath, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.#jwk })
      .sign(this.#key);
  }

  /** The fields of a request with a token and a new proof. */
  async fields(token: string, request: ProofRequest): Promise<Record<string, string>> {
    return { Authorization: `DPoP ${token}`, DPoP: await this.proof({ ...request, token }) };
  }
}
