import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import type { Result } from '../../../domain/shared/result.js';
import type { KeptFormStore } from './kept-form-store.js';
import type { ReplayStore } from './replay-store.js';
import type { SessionStore } from './session-store.js';
import type { SignOnRequestStore } from './sign-on-request-store.js';

/** The stores of sign-on, all of one technology. */
export interface SessionStores {
  readonly sessions: SessionStore;
  readonly replays: ReplayStore;
  readonly requests: SignOnRequestStore;
  readonly forms: KeptFormStore;
  /**
   * Whether the opened store is permanently lost, as when its file was removed or damaged. Opening
   * it again may help.
   */
  isLost(): boolean;
  /** Finishes running operations, then closes files and connections. */
  close(): Promise<void>;
}

/**
 * Opens the stores that a configuration names. `namespace` separates service providers that share a
 * place: it is the entity id. The error is one clause, safe to show, and says what to do.
 */
export interface SessionStoreOpener {
  open(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStores, string>>;
}
