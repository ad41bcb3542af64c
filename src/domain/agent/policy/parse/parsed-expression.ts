import { policyLimits } from '../policy-limits.js';
import type { Expression } from '../syntax-tree.js';
import type { TokenCursor } from './token-cursor.js';

/** An expression and the height of its tree; null if a problem was reported. */
export type ParsedExpression = { readonly expression: Expression; readonly height: number } | null;

/** Parses any expression. Passed as an argument to avoid an import cycle between the parsers. */
export type ExpressionParser = (cursor: TokenCursor) => ParsedExpression;

/** An expression without subexpressions. */
export const leaf = (expression: Expression): ParsedExpression => ({ expression, height: 1 });

/** An expression whose highest subexpression has `height`. Reports a problem if it exceeds the depth limit. */
export const branch = (cursor: TokenCursor, expression: Expression, height: number): ParsedExpression =>
  height >= policyLimits.depth ? cursor.tooDeep(expression.span) : { expression, height: height + 1 };

/** Consumes comma-separated expressions and the closing bracket. A trailing comma is allowed. */
export const parseList = (
  cursor: TokenCursor,
  closing: ')' | ']',
  parse: ExpressionParser,
): { readonly expressions: readonly Expression[]; readonly height: number } | null => {
  const expressions: Expression[] = [];
  let height = 0;
  while (!cursor.at(closing)) {
    const parsed = parse(cursor);
    if (parsed === null) return null;
    expressions.push(parsed.expression);
    height = Math.max(height, parsed.height);
    if (!cursor.take(',') && !cursor.at(closing)) return cursor.unexpected(`\`,\` or \`${closing}\``);
  }
  cursor.advance();
  return { expressions, height };
};
