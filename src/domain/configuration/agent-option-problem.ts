import type { AdviceId } from './advice-kinds.js';
import type { SourcePosition } from './configuration-problem.js';

/** A problem of an agent option, from any source. Its text never contains a secret. */
export interface AgentOptionProblem {
  readonly severity: 'error' | 'warning';
  /** The key, as in `jwt-secret`. */
  readonly option: string;
  readonly message: string;
  readonly suggestion: string | null;
  /** Absent: the whole option. */
  readonly place?: OptionPlace;
  /** The place in a file that the option names, such as a policy file. */
  readonly source?: OptionSource;
  /** The stable name of a warning about safety. */
  readonly id?: AdviceId;
}

/** A place in a file that an option names. */
export interface OptionSource {
  readonly position: SourcePosition;
  /** The line without its line end; null: not shown. */
  readonly line: string | null;
}

/** A place inside an option that is a block. */
export interface OptionPlace {
  /** Index of the block; absent if there is only one. */
  readonly block?: number;
  /** Index of a `client` block inside it; absent: the block itself. */
  readonly client?: number;
  /** Absent: the whole block or client. */
  readonly key?: string;
  /** The place may contain a secret: messages show the position, but not the line. */
  readonly isConcealed?: true;
  /** Another key that the problem is about: the message names its position. */
  readonly other?: { readonly option: string; readonly key: string };
  /** A place in one of the texts of the key: index of the text, and offset in it. */
  readonly text?: { readonly index: number; readonly offset: number };
}

/**
 * Locates a problem of an agent option in the configuration: in an inline policy, at the key, or at the block if the
 * key is absent. Null: the problem names no key, or the file does not contain it.
 */
export type AgentOptionLocator = (
  agent: string,
  problem: Pick<AgentOptionProblem, 'option' | 'place' | 'source'>,
) => OptionSource | null;
