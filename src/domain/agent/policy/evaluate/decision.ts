import type { PolicyEffect } from '../syntax-tree.js';
import type { EvaluationError } from './evaluation-error.js';

/** A policy that was skipped because a condition of it has no value. */
export interface PolicyError {
  readonly policyId: string;
  readonly effect: PolicyEffect;
  readonly error: EvaluationError;
}

/** What the policies say, by Cedar's rules: errors are skipped, forbid wins, deny without a permit. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  /**
   * Ids of the policies that determine it, in the order of the set: the forbids for a deny, the permits for an allow.
   */
  readonly reasons: readonly string[];
  /** In the order of the set. */
  readonly errors: readonly PolicyError[];
}
