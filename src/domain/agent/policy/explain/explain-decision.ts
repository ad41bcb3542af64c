import type { Policy, PolicyDialect } from '../syntax-tree.js';
import type { Judgement } from '../test-cases/judge-request.js';
import { explainPolicy, type PolicyExplanation } from './explain-policy.js';

/** The decision on a request and an explanation of each policy. */
export interface DecisionExplanation {
  readonly judgement: Judgement;
  /** In the order of the set. Empty if no policy was evaluated. */
  readonly policies: readonly PolicyExplanation[];
}

/** Explains a judgement. `policies` must be those that it was made with. */
export const explainDecision = (
  judgement: Judgement,
  policies: readonly Policy[],
  dialect: PolicyDialect,
): DecisionExplanation => ({
  judgement,
  policies:
    judgement.kind === 'refused' ? [] : policies.map((policy) => explainPolicy(policy, judgement.request, dialect)),
});
