import type { AuthorizationRequest } from '../evaluate/authorization-request.js';
import { compileExpression } from '../evaluate/compile-expression.js';
import type { SourceSpan } from '../source-span.js';
import type {
  ActionConstraint,
  Expression,
  Policy,
  PolicyDialect,
  RequestVariable,
  ScopeConstraint,
  ScopeEntity,
} from '../syntax-tree.js';
import { explainExpression } from './explain-expression.js';
import type { Finding } from './finding.js';

export type ScopePart = 'principal' | 'action' | 'resource';

/** The part of a scope that does not fit a request. */
export interface ScopeMismatch {
  readonly part: ScopePart;
  readonly finding: Finding;
}

const variable = (name: RequestVariable, span: SourceSpan): Expression => ({ kind: 'variable', name, span });

/** Null for a slot: a template fits no request. */
const entityOf = (entity: ScopeEntity, span: SourceSpan): Expression | null =>
  entity.kind === 'slot' ? null : { kind: 'entity', uid: entity, span };

/** A part of the scope as the condition that says the same; null where everything fits it. */
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

/** The first part of a policy's scope that a request does not fit; null where it fits all. */
export const explainScope = (
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
