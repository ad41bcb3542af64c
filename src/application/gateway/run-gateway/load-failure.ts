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
