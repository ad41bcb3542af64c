import type { RequestFacts } from '../../../domain/agent/policy/gateway-model/gateway-request.js';
import type { JudgementSettings } from '../../../domain/agent/policy/test-cases/judge-request.js';
import { type PrincipalSketch, sketchedIdentity } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import type { PolicyFiles } from '../../ports/agent/policy-files.js';
import { type ExplainedDecision, explained } from './explained-decision.js';
import { loadPolicySet, type PolicySet } from './policy-set.js';

/** A request that somebody asks about. */
export interface RequestQuestion {
  /** Null: the anonymous principal. */
  readonly principal: PrincipalSketch | null;
  readonly facts: RequestFacts;
}

/** Explains what policies say to a request. */
export const explainRequest = async (
  { principal, facts }: RequestQuestion,
  settings: JudgementSettings,
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
  return explained({ identity: identity === null ? null : identity.value, facts }, settings, policies, problems);
};
