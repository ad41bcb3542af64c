import type { SourceSpan } from '../source-lines.js';
import { entityUid } from '../values/entity-uid.js';
import { emptyRecord } from '../values/record-value.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { Outcome } from './evaluation-error.js';

/** What an expression comes to for a request. */
export type Evaluator = (request: AuthorizationRequest) => Outcome;

/** An expression made ready to be evaluated many times. */
export interface Compiled {
  readonly evaluate: Evaluator;
  readonly span: SourceSpan;
  /** What it comes to for every request, an error perhaps; undefined: that depends on the request. */
  readonly constant: Outcome | undefined;
}

export const constant = (outcome: Outcome, span: SourceSpan): Compiled => ({
  evaluate: () => outcome,
  span,
  constant: outcome,
});

/** Looks at the request or its entities. */
export const dependent = (span: SourceSpan, evaluate: Evaluator): Compiled => ({ evaluate, span, constant: undefined });

const nobody = entityUid('Nobody', '');

/** Stands for the request where nothing looks at it. */
const noRequest: AuthorizationRequest = {
  principal: nobody,
  action: nobody,
  resource: nobody,
  context: emptyRecord,
  entities: { get: () => undefined },
};

/**
 * Looks at nothing but its operands, and so is evaluated once and for all where they are constant. An error stays
 * one: it comes up when and only when the expression is evaluated.
 */
export const derived = (span: SourceSpan, operands: readonly Compiled[], evaluate: Evaluator): Compiled =>
  operands.every((operand) => operand.constant !== undefined)
    ? constant(evaluate(noRequest), span)
    : dependent(span, evaluate);
