import type { OidcProviderOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { KeySet } from '../keys/key-set.js';
import type { KeySetLease, KeySets } from '../keys/key-sets.js';
import type { WantedKeys } from '../keys/load-key-set.js';

/** A provider with the keys that its tokens are verified by. */
export interface ProviderKeys {
  readonly options: OidcProviderOptions;
  readonly keys: KeySet;
}

/** Which keys verify the tokens of a provider. */
export const keysOfProvider = ({ issuer, jwksUrl, algorithms }: OidcProviderOptions): WantedKeys => ({
  location: jwksUrl === null ? { kind: 'issuer', issuer } : { kind: 'url', url: jwksUrl },
  algorithms,
});

interface LeasedKeys extends ProviderKeys {
  readonly lease: KeySetLease;
}

/** The key sets that a configuration uses. They are fetched and kept fresh from `acquire` to `release`. */
export class ProviderKeySets {
  readonly #leased: readonly LeasedKeys[];
  #isReleased = false;

  private constructor(leased: readonly LeasedKeys[]) {
    this.#leased = leased;
  }

  static acquire(providers: readonly OidcProviderOptions[], keySets: Pick<KeySets, 'acquire'>): ProviderKeySets {
    return new ProviderKeySets(
      providers.map((options) => {
        const lease = keySets.acquire(keysOfProvider(options), options.jwksRefreshMs);
        return { options, keys: lease.keys, lease };
      }),
    );
  }

  get providers(): readonly ProviderKeys[] {
    return this.#leased;
  }

  /** Calls back whenever the state of one of them changes; the result ends that. */
  onChange(listener: () => void): () => void {
    const ends = this.#leased.map(({ keys }) => keys.onChange(listener));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Calling it again changes nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const { lease } of this.#leased) lease.release();
  }
}
