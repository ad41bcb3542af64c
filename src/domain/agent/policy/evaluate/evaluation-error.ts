import type { SourceSpan } from '../source-lines.js';
import type { Value } from '../values/value.js';

/** The reason for an evaluation error. */
export type EvaluationErrorCode =
  | 'type_error'
  | 'attribute_missing'
  | 'tag_missing'
  | 'entity_missing'
  | 'overflow'
  | 'extension_error';

/**
 * A failed evaluation. The message is logged, so it names types, attributes and entity types of the policy, never a
 * value of the request.
 */
export interface EvaluationError {
  readonly kind: 'error';
  readonly code: EvaluationErrorCode;
  readonly message: string;
  /** The expression that failed; null if unknown. */
  readonly span: SourceSpan | null;
}

export type Outcome = Value | EvaluationError;

export const isError = (outcome: Outcome): outcome is EvaluationError =>
  typeof outcome === 'object' && outcome.kind === 'error';
