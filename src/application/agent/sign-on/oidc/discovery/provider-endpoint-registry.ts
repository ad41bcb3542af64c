import { configuredMetadata } from '../../../../../domain/agent/oidc/provider-metadata.js';
import { DiscoveredProvider, type DiscoveryPlace, type DiscoveryServices } from './discovered-provider.js';
import { configuredProvider, type ProviderEndpointLookup } from './provider-endpoint-lookup.js';

/** A lease of a provider, held by one configuration. */
export interface ProviderLease {
  readonly provider: ProviderEndpointLookup;
  /** Idempotent. */
  release(): void;
}

interface SharedProvider {
  readonly provider: DiscoveredProvider;
  leases: number;
}

/** The OpenID providers of a process. Equal places share one entry, so that a reload keeps what is known. */
export class ProviderEndpointRegistry {
  readonly #parts: DiscoveryServices;
  readonly #shared = new Map<string, SharedProvider>();

  constructor(parts: DiscoveryServices) {
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
