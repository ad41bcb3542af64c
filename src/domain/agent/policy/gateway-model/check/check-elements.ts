import type { ModelReport } from '../model-report.js';
import type { SetType } from '../model-types.js';
import { areApart } from '../type-relations.js';
import { typeWords } from '../type-words.js';
import { apartHint } from './apart-hint.js';
import { checkConstant } from './check-constant.js';
import type { Operand } from './operand.js';

/** An operand of the type of a set's elements, to find words for. */
const elementOf = (set: Operand, { element }: SetType): Operand => {
  const { expression } = set;
  const first = expression.kind === 'set' ? expression.elements[0] : undefined;
  return { expression: first ?? expression, type: element };
};

/** `contains`: whether the element can be in the set at all. */
export const checkElement = (set: Operand, element: Operand, report: ModelReport): void => {
  if (set.type.kind !== 'set') return;
  const { span } = element.expression;
  if (areApart(set.type.element, element.type)) {
    const message = `a ${typeWords(set.type)} never contains what is of type ${typeWords(element.type)}`;
    report.add(span, message, apartHint(element, elementOf(set, set.type)));
    return;
  }
  const [held, asked] = [set.type.element, element.type];
  if (held.kind === 'entities' && asked.kind === 'entities') {
    const [only] = held.types;
    if (only !== undefined && !held.types.some((type) => asked.types.includes(type)))
      report.same(asked.types, only, span);
  }
  for (const member of set.type.members) checkConstant(element.type, member, report);
  checkConstant(held, { type: element.type, span }, report);
};

/** Everything contains all elements of a set without any. */
const isNeverEmpty = ({ expression }: Operand): boolean => expression.kind === 'set' && expression.elements.length > 0;

/** `containsAll` and `containsAny`: whether the elements of the one can be in the other. */
export const checkElements = (name: string, set: Operand, others: Operand, report: ModelReport): void => {
  if (set.type.kind !== 'set' || others.type.kind !== 'set') return;
  if (name === 'containsAll' && !isNeverEmpty(others)) return;
  if (!areApart(set.type.element, others.type.element)) return;
  const message = `a ${typeWords(set.type)} never contains the elements of a ${typeWords(others.type)}`;
  report.add(others.expression.span, message, apartHint(elementOf(others, others.type), elementOf(set, set.type)));
};
