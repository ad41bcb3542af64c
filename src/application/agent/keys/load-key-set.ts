import { isSafeKeySetUrl } from '../../../domain/agent/configuration/key-set-url.js';
import { discoveryUrl, type KeySetLocation, readDiscovery } from '../../../domain/agent/tokens/discovery.js';
import { type RefusedKey, readKeySet } from '../../../domain/agent/tokens/key-set.js';
import type { PublicKey } from '../../../domain/agent/tokens/public-key.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { KeySetFailure, KeySetSource } from '../../ports/agent/key-set-source.js';
import type { TokenVerifier, VerificationKeys } from '../../ports/agent/token-verifier.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { ProviderKey } from './provider-key.js';

/** A key that stays in the set while its provider publishes it. */
export class LoadedKey implements ProviderKey {
  readonly identity: string;
  readonly kid: string | null;
  readonly algorithm: AsymmetricAlgorithm;
  readonly verifier: TokenVerifier;
  #isWithdrawn = false;

  constructor({ identity, kid, algorithm }: PublicKey, verifier: TokenVerifier) {
    this.identity = identity;
    this.kid = kid;
    this.algorithm = algorithm;
    this.verifier = verifier;
  }

  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  withdraw(): void {
    this.#isWithdrawn = true;
  }
}

export interface LoadedKeySet {
  /** Empty: the provider publishes no usable key. */
  readonly keys: readonly LoadedKey[];
  readonly refused: readonly RefusedKey[];
}

/** Where a key set is, and the algorithms that its keys may have. */
export interface KeySetSpec {
  readonly location: KeySetLocation;
  /** See `readPublicKeys`. */
  readonly algorithms: readonly AsymmetricAlgorithm[] | null;
}

const failureText = ({ code, detail }: KeySetFailure): string => `${code}: ${detail}`;

/** The URL of the set that the discovery document of an issuer names. */
const discover = async (
  issuer: string,
  source: KeySetSource,
  cancellation: Cancellation,
): Promise<Result<string, string>> => {
  const document = await source.fetch(discoveryUrl(issuer), cancellation);
  if (!document.ok) return err(`discovery: ${failureText(document.error)}`);
  const url = readDiscovery(document.value, issuer, isSafeKeySetUrl);
  return url.ok ? url : err(`malformed: ${url.error}`);
};

/**
 * Fetches a set and prepares its keys. Reuses each key of `known` that is still in the set. The error is one clause for
 * the log: the set could not be read. Never rejects.
 */
export const loadKeySet = async (
  { location, algorithms }: KeySetSpec,
  known: readonly LoadedKey[],
  source: KeySetSource,
  verificationKeys: VerificationKeys,
  cancellation: Cancellation,
): Promise<Result<LoadedKeySet, string>> => {
  const url = location.kind === 'url' ? ok(location.url) : await discover(location.issuer, source, cancellation);
  if (!url.ok) return url;
  const answer = await source.fetch(url.value, cancellation);
  if (!answer.ok) return err(failureText(answer.error));
  const read = readKeySet(answer.value, algorithms);
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
