import type { SourceSpan } from '../source-lines.js';
import type { Policy, ScopeConstraint, ScopeEntity } from '../syntax-tree.js';
import { checkCondition } from './check-expression.js';
import type { ModelFinding } from './model-finding.js';
import { ModelReport } from './model-report.js';
import { type ModelEntityType, principalTypes } from './model-types.js';

/** A part of the scope: the entity types it can hold, and its position. */
interface ScopePlace {
  readonly subject: readonly ModelEntityType[];
  readonly span: SourceSpan;
}

const checkIn = (
  entity: ScopeEntity,
  subject: readonly ModelEntityType[],
  span: SourceSpan,
  report: ModelReport,
): void => {
  if (entity.kind === 'slot') return;
  const type = report.entity(entity, span);
  if (type !== null) report.within(subject, type, span);
};

const checkEquals = (entity: ScopeEntity, { subject, span }: ScopePlace, report: ModelReport): void => {
  if (entity.kind === 'slot') return;
  const type = report.entity(entity, span);
  if (type !== null) report.same(subject, type, span);
};

const checkConstraint = (constraint: ScopeConstraint, place: ScopePlace, report: ModelReport): void => {
  const { subject, span } = place;
  if (constraint.kind === 'equals') checkEquals(constraint.entity, place, report);
  else if (constraint.kind === 'in') checkIn(constraint.entity, subject, span, report);
  else if (constraint.kind !== 'any') {
    const type = report.entityType(constraint.entityType, span);
    if (type !== null) report.same(subject, type, span);
    // Report a mismatched type only once.
    const narrowed = type !== null && subject.includes(type) ? [type] : subject;
    if (constraint.kind === 'is-in') checkIn(constraint.entity, narrowed, span, report);
  }
};

/** The impossible parts of one policy, the scope first. */
const checkPolicy = ({
  id,
  effect,
  principal,
  action,
  resource,
  conditions,
  scopeSpans,
}: Policy): readonly ModelFinding[] => {
  const report = new ModelReport(id, effect);
  checkConstraint(principal, { subject: principalTypes, span: scopeSpans.principal }, report);
  const actionPlace: ScopePlace = { subject: ['Action'], span: scopeSpans.action };
  if (action.kind === 'equals') checkEquals(action.entity, actionPlace, report);
  else if (action.kind === 'in')
    for (const entity of action.entities) checkIn(entity, ['Action'], actionPlace.span, report);
  checkConstraint(resource, { subject: ['Resource'], span: scopeSpans.resource }, report);
  for (const { body } of conditions) checkCondition(body, report);
  return report.findings;
};

/**
 * Finds the parts of policies that can never match as written: names that the gateway does not have, values of the
 * wrong type, strings that no request contains, and constants that always fail. Anything below `claims` is accepted,
 * since a token may carry it.
 */
export const checkAgainstModel = (policies: readonly Policy[]): readonly ModelFinding[] =>
  policies.flatMap(checkPolicy);
