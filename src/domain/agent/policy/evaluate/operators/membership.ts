import type { SourceSpan } from '../../source-lines.js';
import type { EntityUid, Value } from '../../values/value.js';
import type { AuthorizationRequest } from '../authorization-request.js';
import { type Compiled, dependent } from '../compiled.js';
import { type EntityTargets, entityTargets, isEntity, isWithin } from '../entity-targets.js';
import { type EvaluationError, isError, type Outcome } from '../evaluation-error.js';
import { typeError } from '../evaluation-failures.js';

type Membership = (value: Value, request: AuthorizationRequest) => Outcome;

/** Tests `value in right`. Evaluates `right` before it checks the type of the value. */
const membership = (right: Compiled, leftSpan: SourceSpan): Membership => {
  const check = (value: Value, targets: EntityTargets | EvaluationError, request: AuthorizationRequest): Outcome => {
    if (!isEntity(value)) return typeError('entity', value, leftSpan);
    return 'uids' in targets ? isWithin(value, targets, request.entities) : targets;
  };
  const { constant } = right;
  if (constant !== undefined && !isError(constant)) {
    const targets = entityTargets(constant, right.span);
    return (value, request) => check(value, targets, request);
  }
  return (value, request) => {
    const container = right.evaluate(request);
    return isError(container) ? container : check(value, entityTargets(container, right.span), request);
  };
};

/** `in`: the entity or one of its ancestors is the entity on the right, or in the set on the right. */
export const inOperator = (left: Compiled, right: Compiled, span: SourceSpan): Compiled => {
  const isMember = membership(right, left.span);
  return dependent(span, (request) => {
    const value = left.evaluate(request);
    return isError(value) ? value : isMember(value, request);
  });
};

/** `is` and `is in`. Evaluates `container` only if the type matches. */
export const isOfType = (
  object: Compiled,
  entityType: EntityUid['type'],
  container: Compiled | null,
  span: SourceSpan,
): Compiled => {
  const isMember: Membership = container === null ? () => true : membership(container, object.span);
  return dependent(span, (request) => {
    const value = object.evaluate(request);
    if (isError(value)) return value;
    if (!isEntity(value)) return typeError('entity', value, object.span);
    return value.type === entityType && isMember(value, request);
  });
};
