import type { SourceSpan } from '../source-lines.js';

/** Why a policy text is refused, and where. */
export interface PolicyParseProblem {
  readonly message: string;
  readonly span: SourceSpan;
  /** What was probably meant, where that can be told. */
  readonly suggestion: string | null;
}
