import type { SourceSpan } from '../../source-lines.js';
import type { ModelReport } from '../model-report.js';
import { plain } from '../model-types.js';
import { describeType, kindName, listed } from '../type-words.js';
import { boolHint, numberHint, objectHint } from './hints.js';
import type { Operand } from './operand.js';
import { rewriteConstant } from './rewrite-constant.js';

/** Adds a finding for each operand that is known not to be a bool. */
export const checkBools = (operator: string, operands: readonly Operand[], report: ModelReport): void => {
  for (const { expression, type } of operands) {
    const kind = kindName(type);
    if (kind === null || kind === 'bool') continue;
    const constant = rewriteConstant(plain('bool'), type);
    const hint = constant === null ? boolHint(type) : `did you mean ${constant}?`;
    report.fails(expression.span, `${operator} takes a bool, not a value of type ${describeType(type)}`, hint);
  }
};

/** Adds a finding for each operand that is known not to be a long. */
export const checkLongs = (operator: string, operands: readonly Operand[], report: ModelReport): void => {
  for (const { expression, type } of operands) {
    const kind = kindName(type);
    if (kind === null || kind === 'long') continue;
    const constant = rewriteConstant(plain('long'), type);
    const hint = constant === null ? numberHint(type) : `did you mean ${constant}?`;
    report.fails(expression.span, `${operator} takes longs, not a value of type ${describeType(type)}`, hint);
  }
};

/** Whether the left operand or receiver can have one of the accepted kinds; adds a finding if not. */
export const acceptsKind = (
  operation: string,
  accepted: readonly string[],
  { type }: Operand,
  span: SourceSpan,
  report: ModelReport,
): boolean => {
  const kind = kindName(type);
  if (kind === null || accepted.includes(kind)) return true;
  const wanted = listed(accepted, 'or');
  const message = `"${operation}" takes a value of type ${wanted}, not a value of type ${describeType(type)}`;
  report.fails(span, message, objectHint(operation, type, wanted));
  return false;
};
