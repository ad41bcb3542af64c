import type { Policy, PolicyDialect } from '../syntax-tree.js';
import type { Judgement } from '../test-cases/judge-request.js';
import { explainPolicy, type PolicyExplanation } from './explain-policy.js';

/** What is done with a request, and what each policy says to it. */
export interface DecisionExplanation {
  readonly judgement: Judgement;
  /** In the order of the set; none where no policy was looked at. */
  readonly policies: readonly PolicyExplanation[];
}

/** Explains a judgement by the policies that it was made with. */
export const explainDecision = (
  judgement: Judgement,
  policies: readonly Policy[],
  dialect: PolicyDialect,
): DecisionExplanation => ({
  judgement,
  policies:
    judgement.kind === 'refused' ? [] : policies.map((policy) => explainPolicy(policy, judgement.request, dialect)),
});
