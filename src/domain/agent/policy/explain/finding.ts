import type { Outcome } from '../evaluate/evaluation-error.js';
import type { SourceSpan } from '../source-lines.js';

/** A part of a condition and what it came to. */
export interface Finding {
  readonly span: SourceSpan;
  readonly outcome: Outcome;
  /**
   * The part with the values of its operands in their places, as in `"sales" == "finance"`; null: there is none to
   * show.
   */
  readonly shown: string | null;
  /** The parts of it that decided, in the order of the text. Empty: it is itself what decided. */
  readonly because: readonly Finding[];
}
