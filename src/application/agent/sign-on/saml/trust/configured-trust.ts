import type { IdentityProviderOptions } from '../../../../../domain/agent/configuration/saml-options.js';
import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';
import type { SigningCertificate } from '../../../../ports/agent/saml-keys.js';
import type { IdentityProviderTrust } from './identity-provider-trust.js';

/** An identity provider that the configuration describes: it is known as long as that is in force. */
export class ConfiguredTrust implements IdentityProviderTrust {
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
