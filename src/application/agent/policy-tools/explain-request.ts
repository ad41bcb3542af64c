import { type DecisionExplanation, explainDecision } from '../../../domain/agent/policy/explain/explain-decision.js';
import type { RequestAttributes } from '../../../domain/agent/policy/gateway-model/gateway-request.js';
import type { LoadedPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { type DecisionRules, evaluateRequest } from '../../../domain/agent/policy/test-cases/evaluate-request.js';
import type { RequestSketch } from '../../../domain/agent/policy/test-cases/request-sketch.js';
import { type PrincipalSketch, sketchedIdentity } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import type { PolicyFiles } from '../../ports/agent/policy-files.js';
import { loadPolicySet, type PolicySet } from './policy-set.js';
import { loadTestedPolicies, type PolicyTestSources } from './test-policies.js';

const failure = (
  message: string,
  suggestion: string | null,
  problems: readonly ConfigurationProblem[],
): ExplainedDecision => ({
  explanation: null,
  problems: [...problems, { severity: 'error', message, position: null, line: null, suggestion }],
});

/** Explains a case of a policy test file. A null `caseName` selects the only case. */
export const explainTestCase = async (
  file: string,
  caseName: string | null,
  parts: PolicyTestSources,
): Promise<ExplainedDecision> => {
  const { loaded, problems } = await loadTestedPolicies(file, parts);
  if (loaded === null) return { explanation: null, problems };
  const { tests, policies } = loaded;
  const names = tests.cases.map(({ name }) => name);
  const found =
    caseName === null && names.length === 1 ? tests.cases[0] : tests.cases.find(({ name }) => name === caseName);
  if (found !== undefined) return explained(found.request, tests, policies, problems);
  if (caseName !== null) return failure(`there is no case "${caseName}"`, didYouMean(caseName, names), problems);
  return failure('there are several cases: choose one with --case', `the first is "${names[0]}"`, problems);
};

export interface ExplainedDecision {
  /** Null on an error. */
  readonly explanation: { readonly decision: DecisionExplanation; readonly policies: LoadedPolicies } | null;
  readonly problems: readonly ConfigurationProblem[];
}

/** Judges a request as the agent does, and explains the decision. */
export const explained = (
  request: RequestSketch,
  settings: DecisionRules,
  policies: LoadedPolicies,
  problems: readonly ConfigurationProblem[],
): ExplainedDecision => {
  const evaluation = evaluateRequest(request, settings, policies.compiled);
  const decision = explainDecision(evaluation, policies.policies, 'extended');
  return { explanation: { decision, policies }, problems };
};

/** A request to explain. */
export interface RequestQuestion {
  /** Null: the anonymous principal. */
  readonly principal: PrincipalSketch | null;
  readonly attributes: RequestAttributes;
}

/** Explains the decision of policies about a request. */
export const explainRequest = async (
  { principal, attributes }: RequestQuestion,
  settings: DecisionRules,
  set: PolicySet,
  files: PolicyFiles,
): Promise<ExplainedDecision> => {
  const identity = principal === null ? null : sketchedIdentity(principal, settings.claims);
  if (identity?.ok === false) {
    const message = identity.error;
    return {
      explanation: null,
      problems: [{ severity: 'error', message, position: null, line: null, suggestion: null }],
    };
  }
  const { policies, problems } = await loadPolicySet(set, files);
  if (policies === null) return { explanation: null, problems };
  return explained({ identity: identity === null ? null : identity.value, attributes }, settings, policies, problems);
};
