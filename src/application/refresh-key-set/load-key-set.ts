import { err, ok, type Result } from '../../domain/shared/result.js';
import { type RefusedKey, readKeySet } from '../../domain/tokens/key-set.js';
import type { PublicKey } from '../../domain/tokens/public-key.js';
import type { AsymmetricAlgorithm } from '../../domain/tokens/signature-algorithm.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { KeySetSource } from '../ports/key-set-source.js';
import type { TokenVerifier, VerificationKeys } from '../ports/token-verifier.js';
import type { VerifyingKey } from './verifying-key.js';

/** A key that a set holds on to as long as its provider publishes it. */
export class LoadedKey implements VerifyingKey {
  readonly identity: string;
  readonly kid: string | null;
  readonly algorithm: AsymmetricAlgorithm;
  readonly verifier: TokenVerifier;
  #withdrawn = false;

  constructor({ identity, kid, algorithm }: PublicKey, verifier: TokenVerifier) {
    this.identity = identity;
    this.kid = kid;
    this.algorithm = algorithm;
    this.verifier = verifier;
  }

  get withdrawn(): boolean {
    return this.#withdrawn;
  }

  withdraw(): void {
    this.#withdrawn = true;
  }
}

export interface LoadedKeySet {
  /** None where the provider has keys that cannot be used. */
  readonly keys: readonly LoadedKey[];
  readonly refused: readonly RefusedKey[];
}

/**
 * Fetches a set and makes its keys ready. Those of `known` that are in it are used again. The error is one clause for the
 * log, and says that there is no set. Never rejects.
 */
export const loadKeySet = async (
  url: string,
  known: readonly LoadedKey[],
  source: KeySetSource,
  verificationKeys: VerificationKeys,
  cancellation: Cancellation,
): Promise<Result<LoadedKeySet, string>> => {
  const answer = await source.fetch(url, cancellation);
  if (!answer.ok) return err(`${answer.error.code}: ${answer.error.detail}`);
  const read = readKeySet(answer.value);
  if (!read.ok) return err(`malformed: the answer ${read.error}`);
  const keys: LoadedKey[] = [];
  const refused: RefusedKey[] = [...read.value.refused];
  for (const publicKey of read.value.keys) {
    const same = known.find(({ identity }) => identity === publicKey.identity);
    if (same !== undefined) {
      keys.push(same);
      continue;
    }
    const verifier = await verificationKeys.prepare({ algorithm: publicKey.algorithm, jwk: publicKey.jwk });
    if (verifier.ok) keys.push(new LoadedKey(publicKey, verifier.value));
    else refused.push({ kid: publicKey.kid, reason: verifier.error });
  }
  return ok({ keys, refused });
};
