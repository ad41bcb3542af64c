import type { PolicyEffect } from '../syntax-tree.js';
import type { EvaluationError } from './evaluation-error.js';

/** A policy that was skipped because a condition failed to evaluate. */
export interface PolicyError {
  readonly policyId: string;
  readonly effect: PolicyEffect;
  readonly error: EvaluationError;
}

/** The decision by Cedar's rules: errors are skipped, forbid wins, deny without a permit. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  /**
   * Ids of the determining policies, in the order of the set: the forbids for a deny, the permits for an allow.
   */
  readonly reasons: readonly string[];
  /** In the order of the set. */
  readonly errors: readonly PolicyError[];
}
