import type { ProviderMetadata } from '../../../../../domain/agent/oidc/provider-metadata.js';

/** The endpoints of an OpenID provider, as currently known. */
export interface ProviderEndpointLookup {
  /** Null: not known yet. */
  current(): ProviderMetadata | null;
  /** Why the last fetch failed, in one clause; null: it succeeded, or none was necessary. */
  lastFailure(): string | null;
  /** Resolves when the first fetch ends, with or without success. */
  firstLoad(): Promise<void>;
  /**
   * Starts a fetch while the provider is unknown, because a user cannot sign on. Does nothing if the last fetch was too
   * recent. Does not wait.
   */
  hurry(): void;
  /** Calls the listener when the provider becomes known. The result unsubscribes it. */
  onChange(listener: () => void): () => void;
}

/** A provider whose endpoints the configuration names. */
export const configuredProvider = (metadata: ProviderMetadata): ProviderEndpointLookup => ({
  current: () => metadata,
  lastFailure: () => null,
  firstLoad: () => Promise.resolve(),
  hurry: () => undefined,
  onChange: () => () => undefined,
});
