import type { PrincipalRefusal } from '../../../domain/agent/policy/gateway-model/gateway-principal.js';

/** Why a request is denied. Stable: the reasons are in the audit of the answer. */
export type DenialReason =
  /** A forbid policy applies. */
  | 'denied_by_policy'
  /** No policy applies. */
  | 'default_deny'
  /** A forbid policy could not be evaluated. */
  | 'policy_error'
  /** The identity is none that policies can speak of. */
  | PrincipalRefusal;

/** What the policies say of a request. */
export interface AuthorizationOutcome {
  readonly decision: 'allow' | 'deny';
  /** Null: it is allowed. */
  readonly reason: DenialReason | null;
  /** Ids of the policies that decide, `maximumNamedPolicies` at most. */
  readonly policies: readonly string[];
  /** The decision of the shadow policies where it differs; null: it does not, or there are none. */
  readonly shadow: 'allow' | 'deny' | null;
}

/** Policies that an audit or a log line names, at most. */
export const maximumNamedPolicies = 20;

/** As many of the ids as are told; nearly every decision has one or two. */
export const namedPolicies = (policies: readonly string[]): readonly string[] =>
  policies.length > maximumNamedPolicies ? policies.slice(0, maximumNamedPolicies) : policies;
