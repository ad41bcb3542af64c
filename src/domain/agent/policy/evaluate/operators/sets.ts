import type { SourceSpan } from '../../source-lines.js';
import { setHas } from '../../values/set-value.js';
import type { SetValue, Value } from '../../values/value.js';
import { valueKey } from '../../values/value-key.js';
import { type Compiled, derived, type Evaluator } from '../compiled.js';
import { isError, type Outcome } from '../evaluation-error.js';
import { typeError } from '../evaluation-failures.js';

const isSet = (value: Value): value is SetValue => typeof value === 'object' && value.kind === 'set';

/** The outcome of `contains` on an object that is not a set. */
type NonSetOutcome = (object: Value, element: Value) => Outcome;

/** Builds the key of the constant once. */
const containsConstant = ({ evaluate }: Compiled, element: Value, otherwise: NonSetOutcome): Evaluator => {
  const key = valueKey(element);
  return (request) => {
    const set = evaluate(request);
    if (isError(set)) return set;
    return isSet(set) ? set.members.has(key) : otherwise(set, element);
  };
};

const containsComputed =
  (object: Compiled, element: Compiled, otherwise: NonSetOutcome): Evaluator =>
  (request) => {
    const set = object.evaluate(request);
    if (isError(set)) return set;
    const value = element.evaluate(request);
    if (isError(value)) return value;
    return isSet(set) ? setHas(set, value) : otherwise(set, value);
  };

const containsOr = (object: Compiled, element: Compiled, span: SourceSpan, otherwise: NonSetOutcome): Compiled => {
  const { constant } = element;
  const known = constant !== undefined && !isError(constant);
  return derived(
    span,
    [object, element],
    known ? containsConstant(object, constant, otherwise) : containsComputed(object, element, otherwise),
  );
};

/** `contains`. An element of a type that the set does not hold gives false, not an error. */
export const contains = (object: Compiled, element: Compiled, span: SourceSpan): Compiled =>
  containsOr(object, element, span, (value) => typeError('set', value, object.span));

/** `contains` of the extended dialect, which also finds a substring in a string. */
export const containsOrHasText = (object: Compiled, element: Compiled, span: SourceSpan): Compiled =>
  containsOr(object, element, span, (text, part) => {
    if (typeof text !== 'string') return typeError('set or string', text, object.span);
    return typeof part === 'string' ? text.includes(part) : typeError('string', part, element.span);
  });

const ofTwo = (
  object: Compiled,
  other: Compiled,
  span: SourceSpan,
  holds: (a: SetValue, b: SetValue) => boolean,
): Compiled =>
  derived(span, [object, other], (request): Outcome => {
    const set = object.evaluate(request);
    if (isError(set)) return set;
    const others = other.evaluate(request);
    if (isError(others)) return others;
    if (!isSet(set)) return typeError('set', set, object.span);
    return isSet(others) ? holds(set, others) : typeError('set', others, other.span);
  });

const hasAll = ({ members }: SetValue, others: SetValue): boolean => {
  if (others.members.size > members.size) return false;
  for (const key of others.members) if (!members.has(key)) return false;
  return true;
};

const hasAny = (set: SetValue, others: SetValue): boolean => {
  const [fewer, more] = set.members.size < others.members.size ? [set, others] : [others, set];
  for (const key of fewer.members) if (more.members.has(key)) return true;
  return false;
};

/** `containsAll` */
export const containsAll = (object: Compiled, other: Compiled, span: SourceSpan): Compiled =>
  ofTwo(object, other, span, hasAll);

/** `containsAny` */
export const containsAny = (object: Compiled, other: Compiled, span: SourceSpan): Compiled =>
  ofTwo(object, other, span, hasAny);

/** `isEmpty` */
export const isEmpty = (object: Compiled, span: SourceSpan): Compiled =>
  derived(span, [object], (request) => {
    const set = object.evaluate(request);
    if (isError(set)) return set;
    return isSet(set) ? set.members.size === 0 : typeError('set', set, object.span);
  });
