import type { Span } from '../source-span.js';

/** A name in a policy that the gateway never has: most likely a typing error. */
export interface ModelFinding {
  readonly policyId: string;
  readonly message: string;
  /** In the text of the policy. */
  readonly span: Span;
  readonly suggestion: string;
}
