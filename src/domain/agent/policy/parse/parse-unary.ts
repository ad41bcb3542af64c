import { integerValue } from './integer-value.js';
import { parseMember } from './parse-member.js';
import { branch, type ExpressionParser, leaf, type ParsedExpression } from './parsed-expression.js';
import { scanToken } from './scan-token.js';
import type { TokenCursor } from './token-cursor.js';

/** How many `!` or `-` may be in a row, as in Cedar. */
const mostOperators = 4;

/** `-` right before a number is part of it, so that the least 64-bit integer can be written; `-1.a` is `-(1.a)`. */
const parseNegative = (cursor: TokenCursor, minusStart: number): ParsedExpression => {
  if (!cursor.at('number')) return null;
  const after = scanToken(cursor.text, cursor.token.end).kind;
  if (after === '.' || after === '[' || after === '(') return null;
  const number = cursor.advance();
  return leaf({ kind: 'literal', value: integerValue(cursor, number, true), span: cursor.spanFrom(minusStart) });
};

const tooMany = (cursor: TokenCursor, operator: '!' | '-', start: number): null =>
  cursor.report(`more than ${mostOperators} \`${operator}\` in a row`, cursor.spanFrom(start));

/** An operand with `!` or `-` before it, but not both. */
export const parseUnary = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const operator = cursor.token.kind;
  if (operator !== '!' && operator !== '-') return parseMember(cursor, parse);
  const starts: number[] = [];
  const first = cursor.token.start;
  while (cursor.at(operator)) {
    starts.push(cursor.advance().start);
    if (starts.length > mostOperators) return tooMany(cursor, operator, first);
  }
  if (cursor.at('!') || cursor.at('-')) return cursor.unexpected('an operand', 'put the operand in parentheses');
  let operand: ParsedExpression = null;
  if (operator === '-') operand = parseNegative(cursor, starts.at(-1) ?? first);
  if (operand === null) operand = parseMember(cursor, parse);
  else starts.pop();
  for (const start of starts.reverse()) {
    if (operand === null) return null;
    const kind = operator === '!' ? 'not' : 'negate';
    const { expression, height }: NonNullable<ParsedExpression> = operand;
    operand = branch(cursor, { kind, operand: expression, span: cursor.spanFrom(start) }, height);
  }
  return operand;
};
