import { type DecisionExplanation, explainDecision } from '../../../domain/agent/policy/explain/explain-decision.js';
import type { LoadedPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { type JudgementSettings, judgeRequest } from '../../../domain/agent/policy/test-cases/judge-request.js';
import type { RequestSketch } from '../../../domain/agent/policy/test-cases/request-sketch.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';

export interface ExplainedDecision {
  /** Null where there was an error. */
  readonly explanation: { readonly decision: DecisionExplanation; readonly policies: LoadedPolicies } | null;
  readonly problems: readonly ConfigurationProblem[];
}

/** Judges a request as the agent does, and explains what came of it. */
export const explained = (
  request: RequestSketch,
  settings: JudgementSettings,
  policies: LoadedPolicies,
  problems: readonly ConfigurationProblem[],
): ExplainedDecision => {
  const judgement = judgeRequest(request, settings, policies.compiled);
  const decision = explainDecision(judgement, policies.policies, 'extended');
  return { explanation: { decision, policies }, problems };
};
