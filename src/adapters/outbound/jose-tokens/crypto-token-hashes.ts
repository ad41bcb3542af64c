import { createHash } from 'node:crypto';
import type { TokenHashes } from '../../../application/ports/agent/provider-endpoints.js';
import type { HashName } from '../../../domain/agent/oidc/token-hash.js';

/** Digests of node:crypto. */
export class CryptoTokenHashes implements TokenHashes {
  hash(name: HashName, text: string): Uint8Array {
    return createHash(name).update(text, 'utf8').digest();
  }
}
