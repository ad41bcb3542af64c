import type { OidcProviderOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { KeySet, RefreshResult } from '../keys/key-set.js';
import type { KeySetLease, KeySets } from '../keys/key-sets.js';
import type { KeySetSpec } from '../keys/load-key-set.js';

/** A provider with the keys that its tokens are verified by. */
export interface ProviderKeys {
  readonly options: OidcProviderOptions;
  readonly keys: KeySet;
}

/** Which keys verify the tokens of a provider. */
export const keysOfProvider = ({ issuer, jwksUrl, algorithms }: OidcProviderOptions): KeySetSpec => ({
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

/** The key sets that one agent uses, of those that the agents of a process share. */
export class AgentKeySets {
  readonly #shared: Pick<KeySets, 'acquire' | 'onRefresh'>;
  /** How often the agent uses each, for it may hold two configurations for a moment. */
  readonly #uses = new Map<KeySet, number>();

  constructor(shared: Pick<KeySets, 'acquire' | 'onRefresh'>) {
    this.#shared = shared;
  }

  acquire(wanted: KeySetSpec, refreshMs: number): KeySetLease {
    const lease = this.#shared.acquire(wanted, refreshMs);
    const { keys } = lease;
    this.#uses.set(keys, (this.#uses.get(keys) ?? 0) + 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      const uses = (this.#uses.get(keys) ?? 1) - 1;
      if (uses === 0) this.#uses.delete(keys);
      else this.#uses.set(keys, uses);
      lease.release();
    };
    return { keys, release };
  }

  /** Calls back at the end of each attempt to get a set that the agent uses; the result ends that. */
  onRefresh(listener: (result: RefreshResult) => void): () => void {
    return this.#shared.onRefresh((result, keys) => {
      if (this.#uses.has(keys)) listener(result);
    });
  }
}
