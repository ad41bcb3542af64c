import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';

/** How well an identity provider is known. */
export type TrustState =
  /** It is configured, or the last attempt brought its metadata. */
  | 'fresh'
  /** The last attempt failed; the last good metadata serves. */
  | 'stale'
  /** There has never been any, or what there was is over (validUntil). */
  | 'absent';

/** What is known of an identity provider at each moment. */
export interface IdentityProviderTrust {
  /** Null: nothing is known, or no more. */
  current(): IdentityProvider | null;
  state(): TrustState;
  /** Why the last attempt to get its metadata failed, in one clause; null where it did not. */
  lastFailure(): string | null;
  /**
   * Resolves with the end of the first attempt, whatever it brought; while the state is `absent`, with that of the
   * one under way.
   */
  firstLoad(): Promise<void>;
  /**
   * Somebody cannot sign on while the state is `absent`: an attempt begins, unless there has just been one. Nobody
   * waits for it.
   */
  hurry(): void;
  /** Calls back whenever an attempt has changed `state`, or what the provider wants signed; the result ends that. */
  onChange(listener: () => void): () => void;
}
