import type { SourceSpan } from '../source-lines.js';

/** A part of a policy that can never match as written, most likely a mistake. */
export interface ModelFinding {
  readonly policyId: string;
  readonly message: string;
  /** In the text of the policy. */
  readonly span: SourceSpan;
  readonly suggestion: string;
}
