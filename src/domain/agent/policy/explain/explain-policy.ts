import type { AuthorizationRequest } from '../evaluate/authorization-request.js';
import { compileExpression } from '../evaluate/compile-expression.js';
import { compilePolicies } from '../evaluate/compile-policies.js';
import { decide } from '../evaluate/decide.js';
import type { EvaluationError } from '../evaluate/evaluation-error.js';
import type { SourceSpan } from '../source-lines.js';
import type {
  ActionConstraint,
  Expression,
  Policy,
  PolicyCondition,
  PolicyDialect,
  RequestVariable,
  ScopeConstraint,
  ScopeEntity,
} from '../syntax-tree.js';
import { explainExpression } from './explain-expression.js';
import type { Finding } from './finding.js';

type ScopePart = 'principal' | 'action' | 'resource';

/** The part of a scope that does not match the request. */
interface ScopeMismatch {
  readonly part: ScopePart;
  readonly finding: Finding;
}

const variable = (name: RequestVariable, span: SourceSpan): Expression => ({ kind: 'variable', name, span });

/** Null for a slot: a template matches no request. */
const entityOf = (entity: ScopeEntity, span: SourceSpan): Expression | null =>
  entity.kind === 'slot' ? null : { kind: 'entity', uid: entity, span };

/** The condition equivalent to a scope constraint; null if it matches everything. */
const scopeExpression = (
  part: 'principal' | 'resource',
  constraint: ScopeConstraint,
  span: SourceSpan,
): Expression | 'slot' | null => {
  const subject = variable(part, span);
  switch (constraint.kind) {
    case 'any':
      return null;
    case 'is':
      return { kind: 'is', object: subject, entityType: constraint.entityType, within: null, span };
    case 'equals': {
      const right = entityOf(constraint.entity, span);
      return right === null ? 'slot' : { kind: 'comparison', operator: '==', left: subject, right, span };
    }
    case 'in': {
      const right = entityOf(constraint.entity, span);
      return right === null ? 'slot' : { kind: 'in', left: subject, right, span };
    }
    case 'is-in': {
      const within = entityOf(constraint.entity, span);
      return within === null
        ? 'slot'
        : { kind: 'is', object: subject, entityType: constraint.entityType, within, span };
    }
  }
};

const actionExpression = (constraint: ActionConstraint, span: SourceSpan): Expression | null => {
  const subject = variable('action', span);
  const literal = (uid: Extract<ActionConstraint, { kind: 'equals' }>['entity']): Expression => ({
    kind: 'entity',
    uid,
    span,
  });
  switch (constraint.kind) {
    case 'any':
      return null;
    case 'equals':
      return { kind: 'comparison', operator: '==', left: subject, right: literal(constraint.entity), span };
    case 'in': {
      const [first, ...others] = constraint.entities.map(literal);
      const right: Expression =
        first !== undefined && others.length === 0
          ? first
          : { kind: 'set', elements: constraint.entities.map(literal), span };
      return { kind: 'in', left: subject, right, span };
    }
  }
};

/** The first part of the scope that does not match the request; null if all match. */
const explainScope = (
  { principal, action, resource, scopeSpans }: Policy,
  request: AuthorizationRequest,
  dialect: PolicyDialect,
): ScopeMismatch | null => {
  const parts: readonly (readonly [ScopePart, Expression | 'slot' | null])[] = [
    ['principal', scopeExpression('principal', principal, scopeSpans.principal)],
    ['action', actionExpression(action, scopeSpans.action)],
    ['resource', scopeExpression('resource', resource, scopeSpans.resource)],
  ];
  for (const [part, expression] of parts) {
    if (expression === null) continue;
    if (expression === 'slot') {
      return { part, finding: { span: scopeSpans[part], outcome: false, shown: null, because: [] } };
    }
    if (compileExpression(expression, dialect)(request) === true) continue;
    return { part, finding: explainExpression(expression, request, dialect) };
  }
  return null;
};

export interface ConditionFinding {
  readonly kind: PolicyCondition['kind'];
  /** Whether the finding covers only a part of the condition, the one that failed. */
  readonly isPart: boolean;
  /** A fulfilled `unless` has the outcome false. */
  readonly finding: Finding;
}

/** The effect of a policy on a request, and the reason. */
export type PolicyResult =
  /** The permit permits, or the forbid forbids. */
  | { readonly kind: 'satisfied'; readonly conditions: readonly ConditionFinding[] }
  /** The scope does not match the request. */
  | { readonly kind: 'out-of-scope'; readonly part: ScopePart; readonly finding: Finding }
  /** `condition` is the first that is not fulfilled or fails. There is always one. */
  | { readonly kind: 'unfulfilled'; readonly condition: ConditionFinding | null }
  | { readonly kind: 'error'; readonly error: EvaluationError; readonly condition: ConditionFinding | null };

export interface PolicyExplanation {
  readonly policy: Policy;
  readonly result: PolicyResult;
}

/** Explains one policy. `decide`, applied to the policy alone, determines the result; the rest explains it. */
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
  if (reasons.length > 0) return { policy, result: { kind: 'satisfied', conditions: policy.conditions.map(find) } };

  const mismatch = explainScope(policy, request, dialect);
  if (mismatch !== null) return { policy, result: { kind: 'out-of-scope', ...mismatch } };

  const condition = firstUnfulfilled(policy, find);
  const [failed] = errors;
  return {
    policy,
    result:
      failed === undefined ? { kind: 'unfulfilled', condition } : { kind: 'error', error: failed.error, condition },
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
