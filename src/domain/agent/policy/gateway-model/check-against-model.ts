import type { SourceSpan } from '../source-lines.js';
import type { Policy, ScopeConstraint, ScopeEntity } from '../syntax-tree.js';
import { checkCondition } from './check-expression.js';
import type { ModelFinding } from './model-finding.js';
import { ModelReport } from './model-report.js';
import { type ModelEntityType, principalTypes } from './model-types.js';

/** A part of the scope: what can be there, and where it is. */
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
    // A type that is out of place is told once.
    const narrowed = type !== null && subject.includes(type) ? [type] : subject;
    if (constraint.kind === 'is-in') checkIn(constraint.entity, narrowed, span, report);
  }
};

/** What in one policy can never be, the scope first. */
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
 * Finds what in policies can never be as it is written: names that the gateway never has, values of one type where
 * only another has a meaning, texts that no request brings, and constants that are an error each time. What a token
 * may carry (anything below `claims`) is not judged.
 */
export const checkAgainstModel = (policies: readonly Policy[]): readonly ModelFinding[] =>
  policies.flatMap(checkPolicy);
