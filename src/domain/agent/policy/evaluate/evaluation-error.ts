import type { SourceSpan } from '../source-lines.js';
import type { Value } from '../values/value.js';

/** Why an expression has no value. */
export type EvaluationErrorCode =
  | 'type_error'
  | 'attribute_missing'
  | 'tag_missing'
  | 'entity_missing'
  | 'overflow'
  | 'extension_error';

/**
 * An expression that has no value. The message names types, attributes and entity types of the policy, never a value
 * of the request: it is logged.
 */
export interface EvaluationError {
  readonly kind: 'error';
  readonly code: EvaluationErrorCode;
  readonly message: string;
  /** Of the expression that failed; null where it is not known. */
  readonly span: SourceSpan | null;
}

export type Outcome = Value | EvaluationError;

export const isError = (outcome: Outcome): outcome is EvaluationError =>
  typeof outcome === 'object' && outcome.kind === 'error';
