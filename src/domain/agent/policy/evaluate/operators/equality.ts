import type { SourceSpan } from '../../source-lines.js';
import { sameEntity } from '../../values/entity-uid.js';
import type { Value } from '../../values/value.js';
import { equalValues } from '../../values/value-equality.js';
import { type Compiled, derived, type Evaluator } from '../compiled.js';
import { isError } from '../evaluation-error.js';

/** Skips the type comparison where the constant's type allows it. */
const equalTo = (constant: Value): ((value: Value) => boolean) => {
  if (typeof constant !== 'object') return (value) => value === constant;
  if (constant.kind === 'entity') {
    return (value) => typeof value === 'object' && value.kind === 'entity' && sameEntity(value, constant);
  }
  return (value) => equalValues(value, constant);
};

const againstConstant = (operand: Compiled, constant: Value): Evaluator => {
  const { evaluate } = operand;
  const isEqual = equalTo(constant);
  return (request) => {
    const value = evaluate(request);
    return isError(value) ? value : isEqual(value);
  };
};

const againstText =
  ({ evaluate }: Compiled, text: string): Evaluator =>
  (request) => {
    const value = evaluate(request);
    if (typeof value === 'string') return value === text;
    return isError(value) ? value : false;
  };

const againstEach =
  (left: Compiled, right: Compiled): Evaluator =>
  (request) => {
    const first = left.evaluate(request);
    if (isError(first)) return first;
    const second = right.evaluate(request);
    return isError(second) ? second : equalValues(first, second);
  };

const equality = (left: Compiled, right: Compiled): Evaluator => {
  // A constant that is not an error cannot fail, so the evaluation order of the sides does not matter.
  for (const [operand, { constant }] of [
    [left, right],
    [right, left],
  ] as const) {
    if (constant === undefined || isError(constant)) continue;
    return typeof constant === 'string' ? againstText(operand, constant) : againstConstant(operand, constant);
  }
  return againstEach(left, right);
};

/** `==`: values of different types are unequal, never an error. */
export const equal = (left: Compiled, right: Compiled, span: SourceSpan): Compiled =>
  derived(span, [left, right], equality(left, right));

/** `!=` */
export const unequal = (left: Compiled, right: Compiled, span: SourceSpan): Compiled => {
  const evaluate = equality(left, right);
  return derived(span, [left, right], (request) => {
    const outcome = evaluate(request);
    return typeof outcome === 'boolean' ? !outcome : outcome;
  });
};
