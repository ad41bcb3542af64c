import type { IdentityProviderOptions } from '../../../../../domain/agent/configuration/saml-options.js';
import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';
import type { SigningCertificate } from '../../../../ports/agent/saml-keys.js';
import type { IdentityProviderTrust } from './identity-provider-trust.js';
import { MetadataTrust, type MetadataTrustParts } from './metadata-trust.js';

/** An identity provider that the configuration describes: it is known as long as that is in force. */
class ConfiguredTrust implements IdentityProviderTrust {
  readonly #provider: IdentityProvider;

  constructor(
    { entityId, ssoUrl, logoutUrl }: Extract<IdentityProviderOptions, { kind: 'configured' }>,
    certificates: readonly SigningCertificate[],
  ) {
    this.#provider = {
      entityId,
      ssoUrl,
      logout: logoutUrl === null ? null : { location: logoutUrl, responseLocation: null },
      signingCertificates: certificates.map(({ der }) => der),
      wantsSignedRequests: false,
    };
  }

  current(): IdentityProvider {
    return this.#provider;
  }

  state(): 'fresh' {
    return 'fresh';
  }

  lastFailure(): null {
    return null;
  }

  firstLoad(): Promise<void> {
    return Promise.resolve();
  }

  hurry(): void {
    // It is always known.
  }

  onChange(): () => void {
    return () => undefined;
  }
}

/** The use of what is known of an identity provider, by one configuration. */
export interface TrustLease {
  readonly trust: IdentityProviderTrust;
  /** Calling it again changes nothing. */
  release(): void;
}

interface SharedTrust {
  readonly trust: MetadataTrust;
  leases: number;
}

/** What a process knows of identity providers. Who wants the same metadata, checked in the same way, shares it. */
export class IdentityProviderTrusts {
  readonly #parts: MetadataTrustParts;
  readonly #shared = new Map<string, SharedTrust>();

  constructor(parts: MetadataTrustParts) {
    this.#parts = parts;
  }

  /**
   * @param certificates what the certificate file of the options holds: the certificates of the provider where it is
   * configured, at
   *   least one, else those that sign the metadata; empty without a file: the metadata need not be signed
   */
  acquire(options: IdentityProviderOptions, certificates: readonly SigningCertificate[]): TrustLease {
    if (options.kind === 'configured') {
      return { trust: new ConfiguredTrust(options, certificates), release: () => undefined };
    }
    const { url, entityId, refreshMs } = options;
    const place = { url, entityId, certificates: certificates.map(({ der }) => der) };
    const id = JSON.stringify([place, refreshMs]);
    const known = this.#shared.get(id);
    const shared = known ?? { trust: new MetadataTrust(place, refreshMs, this.#parts), leases: 0 };
    this.#shared.set(id, shared);
    // Whoever has just put something right waits for no retry.
    known?.trust.retryNow();
    shared.leases += 1;
    let isReleased = false;
    return {
      trust: shared.trust,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        shared.leases -= 1;
        if (shared.leases > 0) return;
        shared.trust.stop();
        this.#shared.delete(id);
      },
    };
  }
}
