import type { AuthorizationRequest } from './authorization-request.js';
import type { CompiledPolicies, CompiledPolicy } from './compile-policies.js';
import type { Decision } from './decision.js';
import type { EvaluationError } from './evaluation-error.js';
import { asBoolean } from './evaluation-failures.js';

interface Failure {
  readonly policy: CompiledPolicy;
  readonly error: EvaluationError;
}

/** Sorts by position in the set and removes duplicates: a policy for several actions may be found repeatedly. */
const inSetOrder = <Found>(found: readonly Found[], policyOf: (one: Found) => CompiledPolicy): readonly Found[] => {
  if (found.length < 2) return found;
  const sorted = [...found].sort((a, b) => policyOf(a).order - policyOf(b).order);
  return sorted.filter((one, index) => {
    const before = sorted[index - 1];
    return before === undefined || policyOf(before) !== policyOf(one);
  });
};

/**
 * Decides by Cedar's rules: a policy with an error is skipped, a satisfied forbid wins, and without a satisfied permit
 * the decision is deny. Every policy whose scope matches is evaluated.
 */
export const decide = (policies: CompiledPolicies, request: AuthorizationRequest): Decision => {
  const permits: CompiledPolicy[] = [];
  const forbids: CompiledPolicy[] = [];
  const failures: Failure[] = [];
  for (const list of policies.candidates(request)) {
    for (const policy of list) {
      const { evaluate, span } = policy.condition;
      const outcome = evaluate(request);
      if (outcome === false) continue;
      const holds = asBoolean(outcome, span);
      if (holds === true) (policy.effect === 'permit' ? permits : forbids).push(policy);
      else if (holds !== false) failures.push({ policy, error: holds });
    }
  }
  const allowed = forbids.length === 0 && permits.length > 0;
  return {
    decision: allowed ? 'allow' : 'deny',
    reasons: inSetOrder(allowed ? permits : forbids, (policy) => policy).map(({ id }) => id),
    errors: inSetOrder(failures, ({ policy }) => policy).map(({ policy: { id, effect }, error }) => ({
      policyId: id,
      effect,
      error,
    })),
  };
};
