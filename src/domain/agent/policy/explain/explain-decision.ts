import type { Policy, PolicyDialect } from '../syntax-tree.js';
import type { RequestEvaluation } from '../test-cases/evaluate-request.js';
import { explainPolicy, type PolicyExplanation } from './explain-policy.js';

/** The decision on a request and an explanation of each policy. */
export interface DecisionExplanation {
  readonly evaluation: RequestEvaluation;
  /** In the order of the set. Empty if no policy was evaluated. */
  readonly policies: readonly PolicyExplanation[];
}

/** Explains a judgement. `policies` must be those that it was made with. */
export const explainDecision = (
  evaluation: RequestEvaluation,
  policies: readonly Policy[],
  dialect: PolicyDialect,
): DecisionExplanation => ({
  evaluation,
  policies:
    evaluation.kind === 'refused' ? [] : policies.map((policy) => explainPolicy(policy, evaluation.request, dialect)),
});
