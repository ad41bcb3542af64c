import type { SourceSpan } from '../../source-lines.js';
import type { ModelReport } from '../model-report.js';
import { entities, type ModelEntityType, type ModelType } from '../model-types.js';
import { describeType, kindName } from '../type-words.js';
import { acceptsKind } from './check-operands.js';
import { roleHint } from './hints.js';
import type { Operand } from './operand.js';
import { rewriteConstant } from './rewrite-constant.js';

/** A suggestion for a string in the place of an entity. */
const insteadOf = (subject: readonly ModelEntityType[] | null, type: ModelType): string => {
  if (type.kind === 'set') return roleHint;
  const wanted = subject === null || subject.includes('User') ? (['Role'] as const) : subject;
  const meant = rewriteConstant(entities(wanted), type);
  return meant === null ? 'write an entity, such as Role::"admin"' : `did you mean ${meant}?`;
};

const checkOne = (
  subject: readonly ModelEntityType[] | null,
  type: ModelType,
  span: SourceSpan,
  report: ModelReport,
): void => {
  const kind = kindName(type);
  if (type.kind === 'entities') {
    const [target] = type.types;
    if (subject !== null && target !== undefined && type.types.length === 1) report.within(subject, target, span);
  } else if (kind !== null) {
    report.fails(
      span,
      `nothing is "in" a value of type ${describeType(type)}, only in entities`,
      insteadOf(subject, type),
    );
  }
};

/**
 * Checks the right side of `in`: an entity or a set of entities.
 *
 * @param subject entity types of the left side; null if unknown
 */
export const checkWithin = (
  subject: readonly ModelEntityType[] | null,
  right: Operand,
  span: SourceSpan,
  report: ModelReport,
): void => {
  const { type, expression } = right;
  if (type.kind !== 'set') checkOne(subject, type, span, report);
  else if (expression.kind === 'set')
    for (const member of type.members) checkOne(subject, member.type, member.span, report);
  else if (!['entity', null].includes(kindName(type.element))) checkOne(subject, type, span, report);
};

/** Checks `in`. */
export const checkIn = (left: Operand, right: Operand, span: SourceSpan, report: ModelReport): void => {
  if (!acceptsKind('in', ['entity'], left, span, report)) return;
  checkWithin(left.type.kind === 'entities' ? left.type.types : null, right, span, report);
};

/** Checks `is` and `is in`; `within` is the right side of `in`. */
export const checkIs = (
  object: Operand,
  entityType: string,
  within: Operand | null,
  span: SourceSpan,
  report: ModelReport,
): void => {
  const isEntity = acceptsKind('is', ['entity'], object, span, report);
  const type = report.entityType(entityType, span);
  if (isEntity && object.type.kind === 'entities' && type !== null) report.same(object.type.types, type, span);
  if (within !== null) checkWithin(type === null ? null : [type], within, within.expression.span, report);
};
