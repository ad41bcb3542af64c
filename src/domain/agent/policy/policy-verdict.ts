import type { Decision, PolicyError } from './evaluate/decision.js';

/** What the configuration adds to Cedar's rules. */
export interface VerdictRules {
  /** Where no policy applies. */
  readonly defaultDecision: 'allow' | 'deny';
  /** `deny`: a forbid policy that cannot be evaluated denies. `skip`: it counts for nothing, as in Cedar. */
  readonly onError: 'deny' | 'skip';
}

/** What happens to the request. */
export interface PolicyVerdict {
  readonly decision: 'allow' | 'deny';
  /** `policies`: some applied. `default`: none did. `error`: a forbid policy could not be evaluated. */
  readonly because: 'policies' | 'default' | 'error';
  /** Ids of the policies that decided, in the order of the set; empty for `default`. */
  readonly policies: readonly string[];
  /** Of all policies that could not be evaluated, whether that mattered or not. */
  readonly errors: readonly PolicyError[];
}

const erroredForbids = (errors: readonly PolicyError[]): readonly string[] => {
  const ids: string[] = [];
  for (const { effect, policyId } of errors) if (effect === 'forbid') ids.push(policyId);
  return ids;
};

/** Applies the rules of the configuration to what the policies say. A satisfied forbid counts before an errored one. */
export const verdict = ({ decision, reasons, errors }: Decision, rules: VerdictRules): PolicyVerdict => {
  if (decision === 'deny' && reasons.length > 0) return { decision, because: 'policies', policies: reasons, errors };
  if (errors.length > 0 && rules.onError === 'deny') {
    const policies = erroredForbids(errors);
    if (policies.length > 0) return { decision: 'deny', because: 'error', policies, errors };
  }
  if (decision === 'allow') return { decision, because: 'policies', policies: reasons, errors };
  return { decision: rules.defaultDecision, because: 'default', policies: [], errors };
};
