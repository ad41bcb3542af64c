import type { SourceSpan } from '../../source-lines.js';
import { addLongs, multiplyLongs, negateLong, subtractLongs } from '../../values/long.js';
import type { Long, Value } from '../../values/value.js';
import { type Compiled, derived } from '../compiled.js';
import { type EvaluationError, isError } from '../evaluation-error.js';
import { overflow, typeError } from '../evaluation-failures.js';

export type ArithmeticOperator = '+' | '-' | '*';

export interface CompiledTerm {
  readonly operator: ArithmeticOperator;
  readonly operand: Compiled;
}

const operations = {
  '+': { verb: 'add', apply: addLongs },
  '-': { verb: 'subtract', apply: subtractLongs },
  '*': { verb: 'multiply', apply: multiplyLongs },
} as const;

const isLong = (value: Value): value is Long => typeof value === 'number' || typeof value === 'bigint';

const combine = (
  { operator, operand }: CompiledTerm,
  left: Value,
  right: Value,
  leftSpan: SourceSpan,
): Long | EvaluationError => {
  if (!isLong(left)) return typeError('long', left, leftSpan);
  if (!isLong(right)) return typeError('long', right, operand.span);
  const { verb, apply } = operations[operator];
  return apply(left, right) ?? overflow(verb, { start: leftSpan.start, end: operand.span.end });
};

/** Evaluates from the left: a term is evaluated only after the terms before it succeeded. */
export const arithmetic = (first: Compiled, terms: readonly CompiledTerm[], span: SourceSpan): Compiled =>
  derived(span, [first, ...terms.map(({ operand }) => operand)], (request) => {
    let total = first.evaluate(request);
    for (const term of terms) {
      if (isError(total)) return total;
      const value = term.operand.evaluate(request);
      if (isError(value)) return value;
      total = combine(term, total, value, first.span);
    }
    return total;
  });

/** `-x` */
export const negation = (operand: Compiled, span: SourceSpan): Compiled =>
  derived(span, [operand], (request) => {
    const value = operand.evaluate(request);
    if (isError(value)) return value;
    if (!isLong(value)) return typeError('long', value, operand.span);
    return negateLong(value) ?? overflow('negate', span);
  });
