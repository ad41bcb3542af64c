import type { ModelReport } from '../model-report.js';
import type { SetType } from '../model-types.js';
import { areDisjoint } from '../type-relations.js';
import { describeType } from '../type-words.js';
import { checkConstant } from './check-constant.js';
import { disjointTypesHint } from './disjoint-types-hint.js';
import type { Operand } from './operand.js';

/** An operand with the type of a set's elements, for the suggestion. */
const elementOf = (set: Operand, { element }: SetType): Operand => {
  const { expression } = set;
  const first = expression.kind === 'set' ? expression.elements[0] : undefined;
  return { expression: first ?? expression, type: element };
};

/** Checks whether the argument of `contains` can be in the set. */
export const checkElement = (set: Operand, element: Operand, report: ModelReport): void => {
  if (set.type.kind !== 'set') return;
  const { span } = element.expression;
  if (areDisjoint(set.type.element, element.type)) {
    const message = `a ${describeType(set.type)} never contains a value of type ${describeType(element.type)}`;
    report.add(span, message, disjointTypesHint(element, elementOf(set, set.type)));
    return;
  }
  const [contained, sought] = [set.type.element, element.type];
  if (contained.kind === 'entities' && sought.kind === 'entities') {
    const [only] = contained.types;
    if (only !== undefined && !contained.types.some((type) => sought.types.includes(type)))
      report.same(sought.types, only, span);
  }
  for (const member of set.type.members) checkConstant(element.type, member, report);
  checkConstant(contained, { type: element.type, span }, report);
};

/** Every set contains all elements of an empty set. */
const isNeverEmpty = ({ expression }: Operand): boolean => expression.kind === 'set' && expression.elements.length > 0;

/** Checks whether the elements of the argument of `containsAll` or `containsAny` can be in the set. */
export const checkElements = (name: string, set: Operand, others: Operand, report: ModelReport): void => {
  if (set.type.kind !== 'set' || others.type.kind !== 'set') return;
  if (name === 'containsAll' && !isNeverEmpty(others)) return;
  if (!areDisjoint(set.type.element, others.type.element)) return;
  const message = `a ${describeType(set.type)} never contains the elements of a ${describeType(others.type)}`;
  report.add(
    others.expression.span,
    message,
    disjointTypesHint(elementOf(others, others.type), elementOf(set, set.type)),
  );
};
