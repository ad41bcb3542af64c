import { err, ok, type Result } from '../../../shared/result.js';
import { policyLimits } from '../policy-limits.js';
import type { Expression, PolicyDialect } from '../syntax-tree.js';
import type { EntityUid } from '../values/value.js';
import { parseExpression } from './parse-expression.js';
import type { PolicyParseProblem } from './policy-parse-problem.js';
import { TokenCursor } from './token-cursor.js';

/** Parses a text that is exactly one expression. */
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

/** Parses `Type::"id"` in policy syntax. The error names what was expected. */
export const parseEntityUid = (text: string): Result<EntityUid, string> => {
  const parsed = parseExpressionText(text, 'cedar');
  if (!parsed.ok) {
    const [problem] = parsed.error;
    const hint = problem?.suggestion;
    return err(`${problem?.message ?? 'not an entity'}${hint === null || hint === undefined ? '' : `; ${hint}`}`);
  }
  if (parsed.value.kind === 'entity') return ok(parsed.value.uid);
  return err('expected an entity, as in `User::"alice"`');
};
