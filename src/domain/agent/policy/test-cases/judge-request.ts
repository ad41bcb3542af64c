import type { AuthorizationRequest } from '../evaluate/authorization-request.js';
import type { CompiledPolicies } from '../evaluate/compile-policies.js';
import { decide } from '../evaluate/decide.js';
import { gatewayPrincipal, type PrincipalOptions, type PrincipalRefusal } from '../gateway-model/gateway-principal.js';
import { gatewayRequest } from '../gateway-model/gateway-request.js';
import { type PolicyVerdict, type VerdictRules, verdict } from '../policy-verdict.js';
import type { RequestSketch } from './request-sketch.js';

/** The agent's decision on a request. */
export type Judgement =
  | { readonly kind: 'judged'; readonly request: AuthorizationRequest; readonly verdict: PolicyVerdict }
  /** Denied before any policy is evaluated: no principal can be derived from the identity. */
  | { readonly kind: 'refused'; readonly reason: PrincipalRefusal };

export interface DecisionRules {
  readonly claims: PrincipalOptions;
  readonly rules: VerdictRules;
}

/** Decides a request exactly as the agent does: same principal, same request, same rules. */
export const judgeRequest = (
  { identity, attributes }: RequestSketch,
  { claims, rules }: DecisionRules,
  policies: CompiledPolicies,
): Judgement => {
  const principal = gatewayPrincipal(identity, claims);
  if (!principal.ok) return { kind: 'refused', reason: principal.error };
  const request = gatewayRequest(principal.value, attributes);
  return { kind: 'judged', request, verdict: verdict(decide(policies, request), rules) };
};

/** The decision of a judgement. */
export const judgedDecision = (judgement: Judgement): 'allow' | 'deny' =>
  judgement.kind === 'refused' ? 'deny' : judgement.verdict.decision;

/** The policies that decided. */
export const judgedPolicies = (judgement: Judgement): readonly string[] =>
  judgement.kind === 'refused' ? [] : judgement.verdict.policies;
