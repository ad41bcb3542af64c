import type { SourceSpan } from '../source-lines.js';
import { entityUid } from '../values/entity-uid.js';
import { emptyRecord } from '../values/record-value.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { Outcome } from './evaluation-error.js';

/** Evaluates an expression for a request. */
export type Evaluator = (request: AuthorizationRequest) => Outcome;

/** An expression compiled for repeated evaluation. */
export interface Compiled {
  readonly evaluate: Evaluator;
  readonly span: SourceSpan;
  /** The outcome (a value or an error) if it is the same for every request; otherwise undefined. */
  readonly constant: Outcome | undefined;
}

export const constant = (outcome: Outcome, span: SourceSpan): Compiled => ({
  evaluate: () => outcome,
  span,
  constant: outcome,
});

/** An expression that reads the request or its entities. */
export const dependent = (span: SourceSpan, evaluate: Evaluator): Compiled => ({ evaluate, span, constant: undefined });

const placeholder = entityUid('Placeholder', '');

/** The request for constant folding; no expression reads it. */
const noRequest: AuthorizationRequest = {
  principal: placeholder,
  action: placeholder,
  resource: placeholder,
  context: emptyRecord,
  entities: { get: () => undefined },
};

/**
 * An expression that reads only its operands. It is folded into a constant if all operands are constant. A constant
 * error still occurs only when the expression is evaluated.
 */
export const derived = (span: SourceSpan, operands: readonly Compiled[], evaluate: Evaluator): Compiled =>
  operands.every((operand) => operand.constant !== undefined)
    ? constant(evaluate(noRequest), span)
    : dependent(span, evaluate);
