import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';

/** Why a configuration did not come into force. */
export interface LoadFailure {
  readonly problems: readonly ConfigurationProblem[];
  /** What failed although the file is right: an address that is taken, an agent that refuses. Null otherwise. */
  readonly reason: string | null;
  /** The error behind the reason, where the system gave one. */
  readonly cause: unknown;
}

/** A failure that no place of the file stands for. */
export const loadFailure = (reason: string, cause: unknown = null): LoadFailure => ({ problems: [], reason, cause });

/**
 * A configuration for which all is built and bound. It has to be committed or abandoned: no other is loaded until
 * then.
 */
export interface PreparedReload {
  /**
   * Brings it into force in one step that cannot fail. Does nothing where it was abandoned, also by the gateway's
   * end.
   */
  commit(): void;
  /** Closes what was opened for it; what is in force stays. Does nothing after a commit. */
  abandon(): Promise<void>;
}

/** Does the first of two things, once. */
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
