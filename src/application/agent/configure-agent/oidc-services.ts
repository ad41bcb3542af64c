import type { ProviderEndpoints, TokenHashes } from '../../ports/agent/provider-endpoints.js';
import type { SessionSecrets } from '../../ports/agent/session-secrets.js';
import type { ProviderEndpointRegistry } from '../sign-on/oidc/discovery/provider-endpoint-registry.js';

/** The services of a process that sign-ons at OpenID providers and introspection use. */
export interface OidcServices {
  readonly endpoints: ProviderEndpoints;
  /** For introspection, with limits of its own: 800 ms and 64 KiB. */
  readonly introspection: Pick<ProviderEndpoints, 'requestTokens'>;
  readonly hashes: TokenHashes;
  readonly secrets: SessionSecrets;
  /** The OpenID providers of the process. */
  readonly providers: Pick<ProviderEndpointRegistry, 'acquire'>;
}
