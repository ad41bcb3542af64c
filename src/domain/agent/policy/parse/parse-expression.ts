import type { Expression } from '../syntax-tree.js';
import { parseRelation } from './parse-relation.js';
import { branch, type ParsedExpression } from './parsed-expression.js';
import type { TokenCursor } from './token-cursor.js';

const parseChain = (
  cursor: TokenCursor,
  separator: '&&' | '||',
  operand: (cursor: TokenCursor) => ParsedExpression,
): ParsedExpression => {
  const { start } = cursor.token;
  const first = operand(cursor);
  if (first === null || !cursor.at(separator)) return first;
  const operands: Expression[] = [first.expression];
  let { height } = first;
  while (cursor.take(separator)) {
    const next = operand(cursor);
    if (next === null) return null;
    operands.push(next.expression);
    height = Math.max(height, next.height);
  }
  const kind = separator === '&&' ? 'and' : 'or';
  return branch(cursor, { kind, operands, span: cursor.spanFrom(start) }, height);
};

const parseRelationIn = (cursor: TokenCursor): ParsedExpression => parseRelation(cursor, parseExpression);
const parseAnd = (cursor: TokenCursor): ParsedExpression => parseChain(cursor, '&&', parseRelationIn);
const parseOr = (cursor: TokenCursor): ParsedExpression => parseChain(cursor, '||', parseAnd);

const parseBranch = (cursor: TokenCursor, word: 'then' | 'else'): ParsedExpression => {
  if (!cursor.atWord(word)) return cursor.unexpected(`\`${word}\``, 'write `if .. then .. else ..`');
  cursor.advance();
  return parseExpression(cursor);
};

const parseIf = (cursor: TokenCursor): ParsedExpression => {
  const { start } = cursor.advance();
  const condition = parseExpression(cursor);
  const consequent = condition && parseBranch(cursor, 'then');
  const alternative = consequent && parseBranch(cursor, 'else');
  if (condition === null || consequent === null || alternative === null) return null;
  return branch(
    cursor,
    {
      kind: 'if',
      condition: condition.expression,
      consequent: consequent.expression,
      alternative: alternative.expression,
      span: cursor.spanFrom(start),
    },
    Math.max(condition.height, consequent.height, alternative.height),
  );
};

/** Any expression; passed. Null where a problem was reported, the place of the cursor is then of no meaning. */
export const parseExpression = (cursor: TokenCursor): ParsedExpression => {
  if (!cursor.enter()) return null;
  const parsed = cursor.atWord('if') ? parseIf(cursor) : parseOr(cursor);
  cursor.leave();
  return parsed;
};
