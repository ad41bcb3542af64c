import type { SourceSpan } from '../../source-lines.js';
import { type Compiled, derived } from '../compiled.js';
import { asBoolean } from '../evaluation-failures.js';

/** Evaluates from the left and stops at the operand that equals `settling`. */
const chain = (settling: boolean, operands: readonly Compiled[], span: SourceSpan): Compiled => {
  const evaluators = operands.map(({ evaluate }) => evaluate);
  const spans = operands.map((operand) => operand.span);
  return derived(span, operands, (request) => {
    let index = 0;
    for (const evaluate of evaluators) {
      const outcome = evaluate(request);
      if (outcome === settling) return settling;
      if (outcome !== !settling) return asBoolean(outcome, spans[index] ?? span);
      index += 1;
    }
    return !settling;
  });
};

export const and = (operands: readonly Compiled[], span: SourceSpan): Compiled => chain(false, operands, span);

export const or = (operands: readonly Compiled[], span: SourceSpan): Compiled => chain(true, operands, span);

export const not = (operand: Compiled, span: SourceSpan): Compiled =>
  derived(span, [operand], (request) => {
    const outcome = asBoolean(operand.evaluate(request), operand.span);
    return typeof outcome === 'boolean' ? !outcome : outcome;
  });

/** Evaluates only the chosen branch. */
export const conditional = (
  condition: Compiled,
  consequent: Compiled,
  alternative: Compiled,
  span: SourceSpan,
): Compiled =>
  derived(span, [condition, consequent, alternative], (request) => {
    const outcome = asBoolean(condition.evaluate(request), condition.span);
    if (typeof outcome !== 'boolean') return outcome;
    return outcome ? consequent.evaluate(request) : alternative.evaluate(request);
  });
