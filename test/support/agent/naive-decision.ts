import type { AuthorizationRequest } from '../../../src/domain/agent/policy/evaluate/authorization-request.js';
import { compileExpression } from '../../../src/domain/agent/policy/evaluate/compile-expression.js';
import type { Decision, PolicyError } from '../../../src/domain/agent/policy/evaluate/decision.js';
import { isError } from '../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import type {
  ActionConstraint,
  Policy,
  ScopeConstraint,
  ScopeEntity,
} from '../../../src/domain/agent/policy/syntax-tree.js';
import type { EntityUid } from '../../../src/domain/agent/policy/values/value.js';

const isSame = (uid: EntityUid, entity: ScopeEntity): boolean =>
  entity.kind === 'entity' && uid.type === entity.type && uid.id === entity.id;

const isIn = (uid: EntityUid, entity: ScopeEntity, { entities }: AuthorizationRequest): boolean =>
  isSame(uid, entity) ||
  (entity.kind === 'entity' && (entities.get(uid)?.ancestors.has(`${entity.type}\0${entity.id}`) ?? false));

const fits = (
  constraint: ScopeConstraint | ActionConstraint,
  uid: EntityUid,
  request: AuthorizationRequest,
): boolean => {
  if ('entities' in constraint) return constraint.entities.some((entity) => isIn(uid, entity, request));
  switch (constraint.kind) {
    case 'any':
      return true;
    case 'equals':
      return isSame(uid, constraint.entity);
    case 'is':
      return uid.type === constraint.entityType;
    case 'in':
      return isIn(uid, constraint.entity, request);
    case 'is-in':
      return uid.type === constraint.entityType && isIn(uid, constraint.entity, request);
  }
};

/** Looks at every policy, one after the other, without an index. */
export const naiveDecision = (policies: readonly Policy[], request: AuthorizationRequest): Decision => {
  const satisfied: Record<Policy['effect'], string[]> = { permit: [], forbid: [] };
  const errors: PolicyError[] = [];
  for (const { id, effect, principal, action, resource, conditions } of policies) {
    let holds =
      fits(principal, request.principal, request) &&
      fits(action, request.action, request) &&
      fits(resource, request.resource, request);
    for (const { kind, body } of conditions) {
      if (!holds) break;
      const outcome = compileExpression(body, 'cedar')(request);
      if (typeof outcome === 'boolean') {
        holds = outcome === (kind === 'when');
        continue;
      }
      const message = 'expected bool, not long';
      const error = isError(outcome)
        ? outcome
        : ({ kind: 'error', code: 'type_error', message, span: body.span } as const);
      errors.push({ policyId: id, effect, error });
      holds = false;
    }
    if (holds) satisfied[effect].push(id);
  }
  const allowed = satisfied.forbid.length === 0 && satisfied.permit.length > 0;
  return { decision: allowed ? 'allow' : 'deny', reasons: allowed ? satisfied.permit : satisfied.forbid, errors };
};
