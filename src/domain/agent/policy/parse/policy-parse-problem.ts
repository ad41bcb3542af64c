import type { SourceSpan } from '../source-lines.js';

/** A syntax problem in a policy text. */
export interface PolicyParseProblem {
  readonly message: string;
  readonly span: SourceSpan;
  /** The probable intention, or null. */
  readonly suggestion: string | null;
}
