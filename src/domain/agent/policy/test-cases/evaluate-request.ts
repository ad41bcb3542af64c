import type { AuthorizationRequest } from '../evaluate/authorization-request.js';
import type { CompiledPolicies } from '../evaluate/compile-policies.js';
import { decide } from '../evaluate/decide.js';
import { gatewayPrincipal, type PrincipalOptions, type PrincipalRefusal } from '../gateway-model/gateway-principal.js';
import { gatewayRequest } from '../gateway-model/gateway-request.js';
import { type PolicyVerdict, type VerdictRules, verdict } from '../policy-verdict.js';
import type { RequestSketch } from './request-sketch.js';

/** The agent's decision on a request. */
export type RequestEvaluation =
  | { readonly kind: 'evaluated'; readonly request: AuthorizationRequest; readonly verdict: PolicyVerdict }
  /** Denied before any policy is evaluated: no principal can be derived from the identity. */
  | { readonly kind: 'refused'; readonly reason: PrincipalRefusal };

export interface DecisionRules {
  readonly claims: PrincipalOptions;
  readonly rules: VerdictRules;
}

/** Decides a request exactly as the agent does: same principal, same request, same rules. */
export const evaluateRequest = (
  { identity, attributes }: RequestSketch,
  { claims, rules }: DecisionRules,
  policies: CompiledPolicies,
): RequestEvaluation => {
  const principal = gatewayPrincipal(identity, claims);
  if (!principal.ok) return { kind: 'refused', reason: principal.error };
  const request = gatewayRequest(principal.value, attributes);
  return { kind: 'evaluated', request, verdict: verdict(decide(policies, request), rules) };
};

/** The decision of a judgement. */
export const evaluatedDecision = (evaluation: RequestEvaluation): 'allow' | 'deny' =>
  evaluation.kind === 'refused' ? 'deny' : evaluation.verdict.decision;

/** The policies that decided. */
export const determiningPolicies = (evaluation: RequestEvaluation): readonly string[] =>
  evaluation.kind === 'refused' ? [] : evaluation.verdict.policies;
