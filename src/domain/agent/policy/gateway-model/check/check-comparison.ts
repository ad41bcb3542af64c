import type { SourceSpan } from '../../source-lines.js';
import type { ComparisonOperator } from '../../syntax-tree.js';
import type { ModelReport } from '../model-report.js';
import { areDisjoint } from '../type-relations.js';
import { describeType, kindName, ownerText } from '../type-words.js';
import { checkConstant } from './check-constant.js';
import { disjointTypesHint } from './disjoint-types-hint.js';
import { numberHint } from './hints.js';
import type { Operand } from './operand.js';
import { rewriteConstant } from './rewrite-constant.js';

/** Entities of two types are never equal. */
const checkEntities = (left: Operand, right: Operand, span: SourceSpan, report: ModelReport): void => {
  const [first, second] = [left.type, right.type];
  if (first.kind !== 'entities' || second.kind !== 'entities') return;
  const [subject, target] =
    left.expression.kind === 'entity' ? [second.types, first.types] : [first.types, second.types];
  const [only] = target;
  if (!target.some((type) => subject.includes(type)) && only !== undefined) report.same(subject, only, span);
};

/** Checks `==` and `!=`: the types can be equal, and a constant is a possible value of the other side. */
const checkEquality = (
  operator: '==' | '!=',
  left: Operand,
  right: Operand,
  span: SourceSpan,
  report: ModelReport,
): void => {
  if (areDisjoint(left.type, right.type)) {
    const holds = operator === '==' ? 'never holds' : 'always holds';
    const message = `"${operator}" ${holds} between ${ownerText(left.type)} and ${ownerText(right.type)}`;
    report.add(span, message, disjointTypesHint(left, right));
    return;
  }
  checkEntities(left, right, span, report);
  checkConstant(left.type, { type: right.type, span: right.expression.span }, report);
  checkConstant(right.type, { type: left.type, span: left.expression.span }, report);
};

const ordered: readonly string[] = ['long', 'datetime', 'duration'];

/** Checks that `<`, `<=`, `>` or `>=` compares two longs, two datetimes or two durations. */
const checkOrder = (operator: string, left: Operand, right: Operand, span: SourceSpan, report: ModelReport): void => {
  const wanted = `"${operator}" takes two longs, two datetimes or two durations`;
  const [first, second] = [kindName(left.type), kindName(right.type)];
  const [firstWrong, secondWrong] = [first, second].map((kind) => kind !== null && !ordered.includes(kind));
  if (firstWrong === true && (secondWrong === true || second === null)) {
    const place = secondWrong === true ? span : left.expression.span;
    report.fails(place, `${wanted}, not a value of type ${describeType(left.type)}`, numberHint(left.type));
  } else if (firstWrong === true || secondWrong === true) {
    const [wrong, other] = firstWrong === true ? [left, right] : [right, left];
    const constant = rewriteConstant(other.type, wrong.type);
    const hint = constant === null ? numberHint(wrong.type) : `did you mean ${constant}?`;
    report.fails(wrong.expression.span, `${wanted}, not a value of type ${describeType(wrong.type)}`, hint);
  } else if (areDisjoint(left.type, right.type)) {
    report.fails(span, `${wanted}, not values of types ${first} and ${second}`, 'compare values of one type');
  }
};

/** Checks whether a comparison can hold and has operands of the right types. */
export const checkComparison = (
  operator: ComparisonOperator,
  left: Operand,
  right: Operand,
  span: SourceSpan,
  report: ModelReport,
): void => {
  if (operator === '==' || operator === '!=') checkEquality(operator, left, right, span, report);
  else checkOrder(operator, left, right, span, report);
};
