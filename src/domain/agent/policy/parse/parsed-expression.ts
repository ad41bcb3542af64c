import { policyLimits } from '../policy-limits.js';
import type { Expression } from '../syntax-tree.js';
import type { TokenCursor } from './token-cursor.js';

/** An expression and how deep its tree is; null where a problem was reported. */
export type ParsedExpression = { readonly expression: Expression; readonly height: number } | null;

/** A parser of any expression, handed to the parsers of the parts that have expressions inside. */
export type ExpressionParser = (cursor: TokenCursor) => ParsedExpression;

/** An expression without parts. */
export const leaf = (expression: Expression): ParsedExpression => ({ expression, height: 1 });

/** An expression whose deepest part is `height` deep; refused where that makes it too deep. */
export const branch = (cursor: TokenCursor, expression: Expression, height: number): ParsedExpression =>
  height >= policyLimits.depth ? cursor.tooDeep(expression.span) : { expression, height: height + 1 };

/** Expressions between commas up to a closing bracket, which is passed; a comma may be the last. */
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
