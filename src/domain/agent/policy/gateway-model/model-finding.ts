import type { SourceSpan } from '../source-lines.js';

/** What in a policy can never be as it is written: most likely a mistake. */
export interface ModelFinding {
  readonly policyId: string;
  readonly message: string;
  /** In the text of the policy. */
  readonly span: SourceSpan;
  readonly suggestion: string;
}
