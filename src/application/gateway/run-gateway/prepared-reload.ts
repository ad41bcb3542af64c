import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';

/** The reason why a configuration did not come into force. */
export interface LoadFailure {
  readonly problems: readonly ConfigurationProblem[];
  /** A failure with a valid file, such as an address in use or an agent that refuses. Null otherwise. */
  readonly reason: string | null;
  /** The system's error behind the reason, if any. */
  readonly cause: unknown;
}

/** A failure without a position in the file. */
export const loadFailure = (reason: string, cause: unknown = null): LoadFailure => ({ problems: [], reason, cause });

/** A configuration that is built and bound. Commit or abandon it: no other configuration is loaded before. */
export interface PreparedReload {
  /**
   * Puts it in force in one step that cannot fail. Does nothing after it was abandoned, also by the end of the
   * gateway.
   */
  commit(): void;
  /** Closes its resources; the configuration in force stays. Does nothing after a commit. */
  abandon(): Promise<void>;
}

/** Runs either `commit` or `abandon`, once, then `settled`. */
export const eitherOnce = (commit: () => void, abandon: () => Promise<void>, settled: () => void): PreparedReload => {
  let isSettled = false;
  const settle = (): boolean => {
    if (isSettled) return false;
    isSettled = true;
    return true;
  };
  return {
    commit() {
      if (!settle()) return;
      try {
        commit();
      } finally {
        settled();
      }
    },
    async abandon() {
      if (!settle()) return;
      try {
        await abandon();
      } finally {
        settled();
      }
    },
  };
};
