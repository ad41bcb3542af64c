import type { Decision, PolicyError } from './evaluate/decision.js';

/** Configured rules on top of Cedar's own. */
export interface VerdictRules {
  /** The decision if no policy applies. */
  readonly defaultDecision: 'allow' | 'deny';
  /** `deny`: a forbid policy with an evaluation error denies. `skip`: the policy is skipped, as in Cedar. */
  readonly onError: 'deny' | 'skip';
}

/** The final decision on a request. */
export interface PolicyVerdict {
  readonly decision: 'allow' | 'deny';
  /** `policies`: policies applied. `default`: none applied. `error`: a forbid policy had an evaluation error. */
  readonly because: 'policies' | 'default' | 'error';
  /** Ids of the policies that decided, in the order of the set; empty for `default`. */
  readonly policies: readonly string[];
  /** Every evaluation error, including errors that did not affect the decision. */
  readonly errors: readonly PolicyError[];
}

const erroredForbids = (errors: readonly PolicyError[]): readonly string[] => {
  const ids: string[] = [];
  for (const { effect, policyId } of errors) if (effect === 'forbid') ids.push(policyId);
  return ids;
};

/** Applies the configured rules to Cedar's decision. A satisfied forbid takes precedence over a failed one. */
export const verdict = ({ decision, reasons, errors }: Decision, rules: VerdictRules): PolicyVerdict => {
  if (decision === 'deny' && reasons.length > 0) return { decision, because: 'policies', policies: reasons, errors };
  if (errors.length > 0 && rules.onError === 'deny') {
    const policies = erroredForbids(errors);
    if (policies.length > 0) return { decision: 'deny', because: 'error', policies, errors };
  }
  if (decision === 'allow') return { decision, because: 'policies', policies: reasons, errors };
  return { decision: rules.defaultDecision, because: 'default', policies: [], errors };
};
