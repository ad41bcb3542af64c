import type { AuthorizationRequest } from '../evaluate/authorization-request.js';
import { compilePolicies } from '../evaluate/compile-policies.js';
import { decide } from '../evaluate/decide.js';
import type { EvaluationError } from '../evaluate/evaluation-error.js';
import type { Policy, PolicyCondition, PolicyDialect } from '../syntax-tree.js';
import { explainExpression } from './explain-expression.js';
import { explainScope, type ScopePart } from './explain-scope.js';
import type { Finding } from './finding.js';

export interface ConditionFinding {
  readonly kind: PolicyCondition['kind'];
  /** The finding is of a part of the condition, the one that fails, and not of all of it. */
  readonly isPart: boolean;
  /** Of an `unless` that is fulfilled it is false. */
  readonly finding: Finding;
}

/** What a policy says to a request, and why. */
export type PolicyFate =
  /** A permit that permits, a forbid that forbids. */
  | { readonly kind: 'satisfied'; readonly conditions: readonly ConditionFinding[] }
  /** The request is none of those that the scope is about. */
  | { readonly kind: 'out-of-scope'; readonly part: ScopePart; readonly finding: Finding }
  /** `condition` is the first that is not fulfilled, or fails; there is always one. */
  | { readonly kind: 'unfulfilled'; readonly condition: ConditionFinding | null }
  | { readonly kind: 'error'; readonly error: EvaluationError; readonly condition: ConditionFinding | null };

export interface PolicyExplanation {
  readonly policy: Policy;
  readonly fate: PolicyFate;
}

/** Explains one policy. Whether it is satisfied or fails is what `decide` says of it alone; the rest is why. */
export const explainPolicy = (
  policy: Policy,
  request: AuthorizationRequest,
  dialect: PolicyDialect,
): PolicyExplanation => {
  const { reasons, errors } = decide(compilePolicies([policy], dialect), request);
  const find = ({ kind, body }: PolicyCondition): ConditionFinding => {
    const finding = explainExpression(body, request, dialect);
    const isPart = finding.span.start !== body.span.start || finding.span.end !== body.span.end;
    return { kind, isPart, finding };
  };
  if (reasons.length > 0) return { policy, fate: { kind: 'satisfied', conditions: policy.conditions.map(find) } };

  const mismatch = explainScope(policy, request, dialect);
  if (mismatch !== null) return { policy, fate: { kind: 'out-of-scope', ...mismatch } };

  const condition = firstUnfulfilled(policy, find);
  const [failed] = errors;
  return {
    policy,
    fate: failed === undefined ? { kind: 'unfulfilled', condition } : { kind: 'error', error: failed.error, condition },
  };
};

const firstUnfulfilled = (
  { conditions }: Policy,
  find: (condition: PolicyCondition) => ConditionFinding,
): ConditionFinding | null => {
  for (const condition of conditions) {
    const found = find(condition);
    if (found.finding.outcome !== (found.kind === 'when')) return found;
  }
  return null;
};
