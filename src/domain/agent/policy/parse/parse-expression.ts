import type { ComparisonOperator, Expression, LikePattern } from '../syntax-tree.js';
import { integerValue } from './integer-value.js';
import { parseMember } from './parse-member.js';
import { parseIdentifier, parseTypeName, stringValue } from './parse-name.js';
import { branch, type ExpressionParser, leaf, type ParsedExpression } from './parsed-expression.js';
import { scanToken } from './scan-token.js';
import type { PolicyTokenKind } from './token.js';
import type { TokenCursor } from './token-cursor.js';
import { unescapePattern } from './unescape-text.js';

/** Maximum number of consecutive `!` or `-`, as in Cedar. */
const maxOperators = 4;

/** `-` before a number is part of the literal, which allows the smallest 64-bit integer. `-1.a` is `-(1.a)`. */
const parseNegative = (cursor: TokenCursor, minusStart: number): ParsedExpression => {
  if (!cursor.at('number')) return null;
  const after = scanToken(cursor.text, cursor.token.end).kind;
  if (after === '.' || after === '[' || after === '(') return null;
  const number = cursor.advance();
  return leaf({ kind: 'literal', value: integerValue(cursor, number, true), span: cursor.spanFrom(minusStart) });
};

const tooMany = (cursor: TokenCursor, operator: '!' | '-', start: number): null =>
  cursor.report(`more than ${maxOperators} \`${operator}\` in a row`, cursor.spanFrom(start));

/** An operand with leading `!` or `-`, but not a mix of both. */
const parseUnary = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const operator = cursor.token.kind;
  if (operator !== '!' && operator !== '-') return parseMember(cursor, parse);
  const starts: number[] = [];
  const first = cursor.token.start;
  while (cursor.at(operator)) {
    starts.push(cursor.advance().start);
    if (starts.length > maxOperators) return tooMany(cursor, operator, first);
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

type Parsed = NonNullable<ParsedExpression>;
type ArithmeticTerm = { readonly operator: '+' | '-' | '*'; readonly operand: Expression };

const comparisons: ReadonlySet<PolicyTokenKind> = new Set<ComparisonOperator>(['==', '!=', '<', '<=', '>', '>=']);
const isComparison = (kind: PolicyTokenKind): kind is ComparisonOperator => comparisons.has(kind);
const relationWords: ReadonlySet<string> = new Set(['in', 'has', 'like', 'is']);

const isSum = (kind: PolicyTokenKind): kind is '+' | '-' => kind === '+' || kind === '-';
const isProduct = (kind: PolicyTokenKind): kind is '*' => kind === '*';

/** Parses operands joined by operators of one precedence into one node. */
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

/** One operand, or two joined by a comparison, `in`, `has`, `like` or `is`. Relations do not chain. */
const parseRelation = (cursor: TokenCursor, parse: ExpressionParser): ParsedExpression => {
  const { start } = cursor.token;
  const left = parseSum(cursor, parse);
  if (left === null || !atRelation(cursor)) return left;
  const relation = parseRest(cursor, left, start, parse);
  if (relation === null || !atRelation(cursor)) return relation;
  const { token } = cursor;
  const message = `\`${token.text}\` cannot follow another comparison`;
  return cursor.report(message, token, 'put the first one in parentheses, or `&&` between the two');
};

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

/** Consumes any expression. Null if a problem was reported; the cursor position is then undefined. */
export const parseExpression = (cursor: TokenCursor): ParsedExpression => {
  if (!cursor.enter()) return null;
  const parsed = cursor.atWord('if') ? parseIf(cursor) : parseOr(cursor);
  cursor.leave();
  return parsed;
};
