import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';

/** The state of an identity provider's metadata. */
export type TrustState =
  /** Configured directly, or the last fetch succeeded. */
  | 'fresh'
  /** The last fetch failed; the last good metadata is used. */
  | 'stale'
  /** There is no metadata, or it has expired (validUntil). */
  | 'absent';

/** An identity provider, as currently known. */
export interface IdentityProviderTrust {
  /** Null: unknown, or expired. */
  current(): IdentityProvider | null;
  state(): TrustState;
  /** The reason why the last fetch failed, in one clause; null: it succeeded. */
  lastFailure(): string | null;
  /** Resolves when the first fetch ends, with or without success; in the state `absent`, when a running fetch ends. */
  firstLoad(): Promise<void>;
  /**
   * Starts a fetch in the state `absent`, because a user cannot sign on. Does nothing if the last fetch was too recent.
   * Does not wait.
   */
  hurry(): void;
  /** Calls the listener when `state` or the signing requirement changes. The result unsubscribes it. */
  onChange(listener: () => void): () => void;
}
