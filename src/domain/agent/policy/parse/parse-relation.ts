import type { ComparisonOperator, Expression, LikePattern } from '../syntax-tree.js';
import { parseIdentifier, parseTypeName, stringValue } from './parse-name.js';
import { parseUnary } from './parse-unary.js';
import { branch, type ExpressionParser, type ParsedExpression } from './parsed-expression.js';
import type { PolicyTokenKind } from './token.js';
import type { TokenCursor } from './token-cursor.js';
import { unescapePattern } from './unescape-text.js';

type Parsed = NonNullable<ParsedExpression>;
type ArithmeticTerm = { readonly operator: '+' | '-' | '*'; readonly operand: Expression };

const comparisons: ReadonlySet<PolicyTokenKind> = new Set<ComparisonOperator>(['==', '!=', '<', '<=', '>', '>=']);
const isComparison = (kind: PolicyTokenKind): kind is ComparisonOperator => comparisons.has(kind);
const relationWords: ReadonlySet<string> = new Set(['in', 'has', 'like', 'is']);

const isSum = (kind: PolicyTokenKind): kind is '+' | '-' => kind === '+' || kind === '-';
const isProduct = (kind: PolicyTokenKind): kind is '*' => kind === '*';

/** Operands between operators of one precedence, as one node. */
const parseArithmetic = (
  cursor: TokenCursor,
  isOperator: (kind: PolicyTokenKind) => kind is '+' | '-' | '*',
  operand: (cursor: TokenCursor) => ParsedExpression,
): ParsedExpression => {
  const { start } = cursor.token;
  const first = operand(cursor);
  if (first === null || !isOperator(cursor.token.kind)) return first;
  const terms: ArithmeticTerm[] = [];
  let { height } = first;
  for (let { kind } = cursor.token; isOperator(kind); { kind } = cursor.token) {
    cursor.advance();
    const term = operand(cursor);
    if (term === null) return null;
    terms.push({ operator: kind, operand: term.expression });
    height = Math.max(height, term.height);
  }
  return branch(cursor, { kind: 'arithmetic', first: first.expression, terms, span: cursor.spanFrom(start) }, height);
};

const parseSum = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const unary = (inner: TokenCursor): ParsedExpression => parseUnary(inner, parse);
  const product = (inner: TokenCursor): ParsedExpression => parseArithmetic(inner, isProduct, unary);
  return parseArithmetic(cursor, isSum, product);
};

const parseHas = (cursor: TokenCursor, left: Parsed, start: number): ParsedExpression => {
  cursor.advance();
  const path: string[] = [];
  if (cursor.at('string')) {
    path.push(stringValue(cursor, cursor.advance()));
  } else {
    do {
      const name = parseIdentifier(cursor, 'the name of an attribute after `has`', null);
      if (name === null) return null;
      path.push(name);
    } while (cursor.take('.'));
  }
  return branch(cursor, { kind: 'has', object: left.expression, path, span: cursor.spanFrom(start) }, left.height);
};

const parsePattern = (cursor: TokenCursor): LikePattern | null => {
  if (!cursor.at('string')) return cursor.unexpected('a string after `like`');
  const token = cursor.advance();
  const pattern = unescapePattern(cursor.text, token.start + 1, token.end - 1);
  if (pattern.ok) return pattern.value;
  cursor.report(pattern.error.message, { start: pattern.error.start, end: pattern.error.end });
  return [];
};

const parseLike = (cursor: TokenCursor, left: Parsed, start: number): ParsedExpression => {
  cursor.advance();
  const pattern = parsePattern(cursor);
  if (pattern === null) return null;
  return branch(cursor, { kind: 'like', object: left.expression, pattern, span: cursor.spanFrom(start) }, left.height);
};

const parseIs = (cursor: TokenCursor, left: Parsed, start: number, parse: ExpressionParser): ParsedExpression => {
  cursor.advance();
  const entityType = parseTypeName(cursor);
  if (entityType === null) return null;
  let within: Expression | null = null;
  let { height } = left;
  if (cursor.atWord('in')) {
    cursor.advance();
    const right = parseSum(cursor, parse);
    if (right === null) return null;
    within = right.expression;
    height = Math.max(height, right.height);
  }
  const span = cursor.spanFrom(start);
  return branch(cursor, { kind: 'is', object: left.expression, entityType, within, span }, height);
};

const parseBinary = (cursor: TokenCursor, left: Parsed, start: number, parse: ExpressionParser): ParsedExpression => {
  const operator = cursor.advance().kind;
  const right = parseSum(cursor, parse);
  if (right === null) return null;
  const height = Math.max(left.height, right.height);
  const sides = { left: left.expression, right: right.expression, span: cursor.spanFrom(start) };
  if (isComparison(operator)) return branch(cursor, { kind: 'comparison', operator, ...sides }, height);
  return branch(cursor, { kind: 'in', ...sides }, height);
};

const atRelation = (cursor: TokenCursor): boolean =>
  isComparison(cursor.token.kind) || (cursor.at('identifier') && relationWords.has(cursor.token.text));

const parseRest = (cursor: TokenCursor, left: Parsed, start: number, parse: ExpressionParser): ParsedExpression => {
  if (cursor.atWord('has')) return parseHas(cursor, left, start);
  if (cursor.atWord('like')) return parseLike(cursor, left, start);
  if (cursor.atWord('is')) return parseIs(cursor, left, start, parse);
  return parseBinary(cursor, left, start, parse);
};

/** Two operands with a comparison, `in`, `has`, `like` or `is` between, or one alone. Relations do not chain. */
export const parseRelation = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const { start } = cursor.token;
  const left = parseSum(cursor, parse);
  if (left === null || !atRelation(cursor)) return left;
  const relation = parseRest(cursor, left, start, parse);
  if (relation === null || !atRelation(cursor)) return relation;
  const { token } = cursor;
  const message = `\`${token.text}\` cannot follow another comparison`;
  return cursor.report(message, token, 'put the first one in parentheses, or `&&` between the two');
};
