import type { SourceSpan } from '../../source-lines.js';
import { recordOf } from '../../values/record-value.js';
import { setOf } from '../../values/set-value.js';
import type { Value } from '../../values/value.js';
import { type Compiled, derived } from '../compiled.js';
import { isError } from '../evaluation-error.js';

/** `[a, b]` */
export const set = (elements: readonly Compiled[], span: SourceSpan): Compiled =>
  derived(span, elements, (request) => {
    const values: Value[] = [];
    for (const element of elements) {
      const value = element.evaluate(request);
      if (isError(value)) return value;
      values.push(value);
    }
    return setOf(values);
  });

export interface CompiledEntry {
  readonly name: string;
  readonly value: Compiled;
}

/** `{a: b}`. Evaluates in name order, as Cedar does, which determines the error reported if several fail. */
export const record = (entries: readonly CompiledEntry[], span: SourceSpan): Compiled => {
  const inOrder = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  return derived(
    span,
    inOrder.map(({ value }) => value),
    (request) => {
      const attributes: [string, Value][] = [];
      for (const { name, value } of inOrder) {
        const outcome = value.evaluate(request);
        if (isError(outcome)) return outcome;
        attributes.push([name, outcome]);
      }
      return recordOf(attributes);
    },
  );
};
