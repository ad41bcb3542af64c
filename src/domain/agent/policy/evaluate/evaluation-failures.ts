import { abbreviateName } from '../abbreviate-text.js';
import type { SourceSpan } from '../source-lines.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { type EvaluationError, isError, type Outcome } from './evaluation-error.js';

/** `span` is the operand whose value has the wrong type. */
export const typeError = (expected: string, value: Value, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'type_error',
  message: `expected ${expected}, not ${typeName(value)}`,
  span,
});

export const overflow = (verb: string, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'overflow',
  message: `cannot ${verb} these values: the result exceeds 64 bits`,
  span,
});

export const entityMissing = (type: string, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'entity_missing',
  message: `unknown entity of type ${abbreviateName(type)}`,
  span,
});

/** Passes a boolean or an error through; any other value is a type error. */
export const asBoolean = (outcome: Outcome, span: SourceSpan): boolean | EvaluationError => {
  if (typeof outcome === 'boolean' || isError(outcome)) return outcome;
  return typeError('bool', outcome, span);
};
