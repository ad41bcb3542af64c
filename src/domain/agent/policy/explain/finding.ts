import type { Outcome } from '../evaluate/evaluation-error.js';
import type { SourceSpan } from '../source-lines.js';

/** A part of a condition and its outcome. */
export interface Finding {
  readonly span: SourceSpan;
  readonly outcome: Outcome;
  /**
   * The part with its operands replaced by their values, as in `"sales" == "finance"`; null for literals, variables
   * and compounds.
   */
  readonly shown: string | null;
  /** The parts of it that decided, in source order. Empty if this part itself decided. */
  readonly because: readonly Finding[];
}
