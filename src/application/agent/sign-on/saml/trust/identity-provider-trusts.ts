import type { IdentityProviderOptions } from '../../../../../domain/agent/configuration/saml-options.js';
import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';
import type { SigningCertificate } from '../../../../ports/agent/saml-keys.js';
import type { IdentityProviderTrust } from './identity-provider-trust.js';
import { MetadataTrust, type MetadataTrustOptions } from './metadata-trust.js';

/** An identity provider that the configuration describes completely. */
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
    // Nothing to fetch.
  }

  onChange(): () => void {
    return () => undefined;
  }
}

/** A lease of an identity provider, held by one configuration. */
export interface TrustLease {
  readonly trust: IdentityProviderTrust;
  /** Idempotent. */
  release(): void;
}

interface SharedTrust {
  readonly trust: MetadataTrust;
  leases: number;
}

/** The identity providers of a process. Equal metadata options share one entry. */
export class IdentityProviderTrusts {
  readonly #parts: MetadataTrustOptions;
  readonly #shared = new Map<string, SharedTrust>();

  constructor(parts: MetadataTrustOptions) {
    this.#parts = parts;
  }

  /**
   * @param certificates contents of the certificate file. Of a configured provider: its certificates, at least one.
   * Otherwise: the certificates that may sign the metadata; empty: the metadata needs no signature
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
    // The operator may have just removed the cause of a failure, so retry immediately.
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
