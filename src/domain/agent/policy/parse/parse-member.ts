import { checkMethodArity } from './methods.js';
import { parseIdentifier, stringValue } from './parse-name.js';
import { parsePrimary } from './parse-primary.js';
import { branch, type ExpressionParser, type ParsedExpression, parseList } from './parsed-expression.js';
import type { TokenCursor } from './token-cursor.js';

type Parsed = NonNullable<ParsedExpression>;

const parseIndex = (cursor: TokenCursor, object: Parsed, start: number): ParsedExpression => {
  cursor.advance();
  if (!cursor.at('string')) return cursor.unexpected('the name of an attribute as a string, as in `["name"]`');
  const name = stringValue(cursor, cursor.advance());
  if (!cursor.expect(']')) return null;
  const { expression, height } = object;
  return branch(cursor, { kind: 'attribute', object: expression, name, span: cursor.spanFrom(start) }, height);
};

const dotHint = (cursor: TokenCursor, { expression }: Parsed): string | null => {
  if (cursor.at('string')) return 'write `["name"]` without the dot';
  const isFraction = cursor.at('number') && expression.kind === 'literal' && typeof expression.value === 'number';
  return isFraction ? 'a number with a fraction is written `decimal("1.5")`' : null;
};

const parseDot = (cursor: TokenCursor, object: Parsed, start: number, parse: ExpressionParser): ParsedExpression => {
  cursor.advance();
  const nameStart = cursor.token.start;
  const hint = dotHint(cursor, object);
  const name = parseIdentifier(cursor, 'the name of an attribute or method after `.`', hint);
  if (name === null) return null;
  const nameSpan = cursor.spanFrom(nameStart);
  const { expression, height } = object;
  if (!cursor.take('(')) {
    return branch(cursor, { kind: 'attribute', object: expression, name, span: cursor.spanFrom(start) }, height);
  }
  const list = parseList(cursor, ')', parse);
  if (list === null) return null;
  checkMethodArity(cursor, name, list.expressions.length, nameSpan);
  return branch(
    cursor,
    { kind: 'method', object: expression, name, arguments: list.expressions, span: cursor.spanFrom(start) },
    Math.max(height, list.height),
  );
};

/** A primary and what is asked of it: `.name`, `["name"]` and `.method(..)`, from the left. */
export const parseMember = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const { start } = cursor.token;
  let member = parsePrimary(cursor, parse);
  while (member !== null) {
    if (cursor.at('.')) member = parseDot(cursor, member, start, parse);
    else if (cursor.at('[')) member = parseIndex(cursor, member, start);
    else if (cursor.at('(')) return cursor.report('only names can be called', cursor.token);
    else return member;
  }
  return null;
};
