import { configuredMetadata } from '../../../../../domain/agent/oidc/provider-metadata.js';
import { DiscoveredProvider, type DiscoveryParts, type DiscoveryPlace } from './discovered-provider.js';
import { configuredProvider, type KnownProvider } from './known-provider.js';

/** A lease of a provider, held by one configuration. */
export interface ProviderLease {
  readonly provider: KnownProvider;
  /** Idempotent. */
  release(): void;
}

interface SharedProvider {
  readonly provider: DiscoveredProvider;
  leases: number;
}

/** The OpenID providers of a process. Equal places share one entry, so that a reload keeps what is known. */
export class KnownProviders {
  readonly #parts: DiscoveryParts;
  readonly #shared = new Map<string, SharedProvider>();

  constructor(parts: DiscoveryParts) {
    this.#parts = parts;
  }

  acquire(place: DiscoveryPlace): ProviderLease {
    const configured = configuredMetadata(place.endpoints);
    if (configured !== null) return { provider: configuredProvider(configured), release: () => undefined };
    const id = JSON.stringify([place.issuer, place.endpoints]);
    const known = this.#shared.get(id);
    const shared = known ?? { provider: new DiscoveredProvider(place, this.#parts), leases: 0 };
    this.#shared.set(id, shared);
    // The operator may have just removed the cause of a failure.
    known?.provider.hurry();
    shared.leases += 1;
    let isReleased = false;
    return {
      provider: shared.provider,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        shared.leases -= 1;
        if (shared.leases > 0) return;
        shared.provider.stop();
        this.#shared.delete(id);
      },
    };
  }
}
