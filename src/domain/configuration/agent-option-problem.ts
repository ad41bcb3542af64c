import type { AdviceId } from './advice-kinds.js';
import type { SourcePosition } from './configuration-problem.js';

/** Something wrong with an option, whichever source it came from. Its text never holds a secret. */
export interface AgentOptionProblem {
  readonly severity: 'error' | 'warning';
  /** The key, as in `jwt-secret`. */
  readonly option: string;
  readonly message: string;
  readonly suggestion: string | null;
  /** Absent: the option as a whole. */
  readonly place?: OptionPlace;
  /** Where it is in a text of its own that the option names, such as a policy file. */
  readonly source?: OptionSource;
  /** The stable name of a warning about safety. */
  readonly id?: AdviceId;
}

/** A place in a file that an option names. */
export interface OptionSource {
  readonly position: SourcePosition;
  /** The line, without its line end; null: none to show. */
  readonly line: string | null;
}

/** Where inside an option that is a block. */
export interface OptionPlace {
  /** Number of the block, from 0; absent where there is one alone. */
  readonly block?: number;
  /** Number of a `client` block inside it, from 0; absent: no client, but the block itself. */
  readonly client?: number;
  /** Absent: the block, or the client, as a whole. */
  readonly key?: string;
  /** What stands there may be a secret: the place is told, and nothing of its line. */
  readonly isConcealed?: true;
  /** A place in one of the texts of the key: the number of the text, from 0, and the offset in it. */
  readonly text?: { readonly index: number; readonly offset: number };
}

/**
 * Finds where a problem with an option of an agent, known by its name, stands in the configuration: in the policy in
 * place, at the key that its place names, or at the block where the key was not written. Null: it names no key, or
 * there is nothing of it in the file.
 */
export type AgentOptionLocator = (
  agent: string,
  problem: Pick<AgentOptionProblem, 'option' | 'place' | 'source'>,
) => OptionSource | null;
