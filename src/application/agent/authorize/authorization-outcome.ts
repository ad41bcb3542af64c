import type { PrincipalRefusal } from '../../../domain/agent/policy/gateway-model/gateway-principal.js';

/** Why a request is denied. Stable: the audit contains these values. */
export type DenialReason =
  /** A forbid policy applies. */
  | 'denied_by_policy'
  /** No policy applies. */
  | 'default_deny'
  /** A forbid policy could not be evaluated. */
  | 'policy_error'
  /** Policies cannot represent the identity. */
  | PrincipalRefusal;

/** The decision of the policies about a request. */
export interface AuthorizationOutcome {
  readonly decision: 'allow' | 'deny';
  /** Null if allowed. */
  readonly reason: DenialReason | null;
  /** Ids of the determining policies, at most `maximumNamedPolicies`. */
  readonly policies: readonly string[];
  /** The decision of the shadow policies if it differs; null if it is the same or there are none. */
  readonly shadow: 'allow' | 'deny' | null;
}

/** Maximum number of policies in an audit record or log line. */
export const maximumNamedPolicies = 20;

/** Truncates the ids; nearly every decision has one or two. */
export const namedPolicies = (policies: readonly string[]): readonly string[] =>
  policies.length > maximumNamedPolicies ? policies.slice(0, maximumNamedPolicies) : policies;
