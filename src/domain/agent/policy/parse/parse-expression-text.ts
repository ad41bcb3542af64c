import { err, ok, type Result } from '../../../shared/result.js';
import { policyLimits } from '../policy-limits.js';
import type { Expression, PolicyDialect } from '../syntax-tree.js';
import { parseExpression } from './parse-expression.js';
import type { PolicyParseProblem } from './policy-parse-problem.js';
import { TokenCursor } from './token-cursor.js';

/** An expression that stands alone, with nothing after it. */
export const parseExpressionText = (
  text: string,
  dialect: PolicyDialect,
): Result<Expression, readonly PolicyParseProblem[]> => {
  if (text.length > policyLimits.textLength) {
    return err([{ message: 'the text is too long', span: { start: 0, end: text.length }, suggestion: null }]);
  }
  const cursor = new TokenCursor(text, dialect);
  const parsed = parseExpression(cursor);
  if (parsed !== null && !cursor.at('end')) cursor.unexpected('an operator or the end');
  return parsed !== null && cursor.problems.length === 0 ? ok(parsed.expression) : err(cursor.problemsInOrder());
};
