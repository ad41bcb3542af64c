import type { OidcProviderOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { KeySet, RefreshResult } from '../keys/key-set.js';
import type { KeySetLease, KeySets } from '../keys/key-sets.js';
import type { KeySetSpec } from '../keys/load-key-set.js';

/** A provider and its key set. */
export interface ProviderKeys {
  readonly options: OidcProviderOptions;
  readonly keys: KeySet;
}

/** The key set that verifies tokens of a provider. */
export const keysOfProvider = ({ issuer, jwksUrl, algorithms }: OidcProviderOptions): KeySetSpec => ({
  location: jwksUrl === null ? { kind: 'issuer', issuer } : { kind: 'url', url: jwksUrl },
  algorithms,
});

interface LeasedKeys extends ProviderKeys {
  readonly lease: KeySetLease;
}

/** The key sets of a configuration. They are fetched and refreshed from `acquire` to `release`. */
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

  /** Calls the listener when the state of a set changes. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    const ends = this.#leased.map(({ keys }) => keys.onChange(listener));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Idempotent. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const { lease } of this.#leased) lease.release();
  }
}

/** The key sets that one agent uses, among those of the process. */
export class AgentKeySets {
  readonly #shared: Pick<KeySets, 'acquire' | 'onRefresh'>;
  /** Uses per set: an agent may hold two configurations for a moment. */
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

  /** Calls the listener after each fetch of a set that the agent uses. The result unsubscribes it. */
  onRefresh(listener: (result: RefreshResult) => void): () => void {
    return this.#shared.onRefresh((result, keys) => {
      if (this.#uses.has(keys)) listener(result);
    });
  }
}
