import type { SourceSpan } from '../../source-lines.js';
import type { ComparisonOperator } from '../../syntax-tree.js';
import { compareLongs } from '../../values/long.js';
import type { DatetimeValue, DurationValue, Long, Value } from '../../values/value.js';
import { type Compiled, derived } from '../compiled.js';
import { type EvaluationError, isError } from '../evaluation-error.js';
import { typeError } from '../evaluation-failures.js';

export type OrderingOperator = Exclude<ComparisonOperator, '==' | '!='>;

const tests: Readonly<Record<OrderingOperator, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const isLong = (value: Value): value is Long => typeof value === 'number' || typeof value === 'bigint';

const isTime = (value: Value): value is DatetimeValue | DurationValue =>
  typeof value === 'object' && (value.kind === 'datetime' || value.kind === 'duration');

/** Compares two longs, two datetimes or two durations. Anything else is an error. */
const order = (left: Value, right: Value, leftSpan: SourceSpan, rightSpan: SourceSpan): number | EvaluationError => {
  if (isLong(left)) return isLong(right) ? compareLongs(left, right) : typeError('long', right, rightSpan);
  if (isLong(right)) return typeError('long', left, leftSpan);
  if (isTime(left)) {
    return isTime(right) && right.kind === left.kind
      ? compareLongs(left.ms, right.ms)
      : typeError(left.kind, right, rightSpan);
  }
  return typeError(isTime(right) ? right.kind : 'long, datetime or duration', left, leftSpan);
};

/** `<`, `<=`, `>` and `>=`. */
export const ordered = (operator: OrderingOperator, left: Compiled, right: Compiled, span: SourceSpan): Compiled => {
  const holds = tests[operator];
  return derived(span, [left, right], (request) => {
    const first = left.evaluate(request);
    if (isError(first)) return first;
    const second = right.evaluate(request);
    if (isError(second)) return second;
    const found = order(first, second, left.span, right.span);
    return typeof found === 'number' ? holds(found) : found;
  });
};
