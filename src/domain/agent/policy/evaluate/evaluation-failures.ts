import { shownName } from '../shortened-text.js';
import type { SourceSpan } from '../source-lines.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { type EvaluationError, isError, type Outcome } from './evaluation-error.js';

/** `span` is that of the operand whose value has the wrong type. */
export const typeError = (expected: string, value: Value, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'type_error',
  message: `expected ${expected}, not ${typeName(value)}`,
  span,
});

export const overflow = (verb: string, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'overflow',
  message: `cannot ${verb} these values: the result is beyond 64 bits`,
  span,
});

export const entityMissing = (type: string, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'entity_missing',
  message: `nothing is known of this entity of type ${shownName(type)}`,
  span,
});

/** A boolean or an error as it is; an error for any other value. */
export const asBoolean = (outcome: Outcome, span: SourceSpan): boolean | EvaluationError => {
  if (typeof outcome === 'boolean' || isError(outcome)) return outcome;
  return typeError('bool', outcome, span);
};
