import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { Result } from '../../../domain/shared/result.js';
import type { ReplayStore } from './replay-store.js';
import type { SessionStore } from './session-store.js';
import type { SignOnRequestStore } from './sign-on-request-store.js';

/** The stores of single sign-on, of one technology. */
export interface SessionStores {
  readonly sessions: SessionStore;
  readonly replays: ReplayStore;
  readonly requests: SignOnRequestStore;
  /** Whether what was opened is gone for good, as a file that was removed or is damaged: to open anew may help. */
  isLost(): boolean;
  /** Lets go of files and connections; what is under way comes to its end first. */
  close(): Promise<void>;
}

/**
 * Opens the stores that a configuration names. `namespace` keeps apart what several service providers keep in one place: it is
 * the entity id. The error is one clause, fit to be shown, which says what to do.
 */
export interface SessionStoreOpener {
  open(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStores, string>>;
}
