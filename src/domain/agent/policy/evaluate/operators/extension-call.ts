import { abbreviateName } from '../../abbreviate-text.js';
import { extensionFunction } from '../../extensions/extension-functions.js';
import { partialEvaluationFunction } from '../../extensions/extension-signatures.js';
import type { SourceSpan } from '../../source-lines.js';
import type { Value } from '../../values/value.js';
import { type Compiled, constant, derived } from '../compiled.js';
import { isError, type Outcome } from '../evaluation-error.js';

const located = (outcome: Outcome, span: SourceSpan): Outcome =>
  isError(outcome) && outcome.span === null ? { ...outcome, span } : outcome;

/** Calls an extension function, or a method with the receiver as first argument. */
export const extensionCall = (name: string, args: readonly Compiled[], span: SourceSpan): Compiled => {
  const apply = extensionFunction(name);
  if (apply === undefined) {
    const message =
      name === partialEvaluationFunction
        ? `${name} needs partial evaluation, which is not supported`
        : `there is no function ${abbreviateName(name)}`;
    return constant({ kind: 'error', code: 'extension_error', message, span }, span);
  }
  return derived(span, args, (request) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg.evaluate(request);
      if (isError(value)) return value;
      values.push(value);
    }
    return located(apply(values), span);
  });
};
