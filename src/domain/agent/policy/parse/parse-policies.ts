import { err, ok, type Result } from '../../../shared/result.js';
import { policyLimits } from '../policy-limits.js';
import type { Policy, PolicyDialect } from '../syntax-tree.js';
import { parsePolicy } from './parse-policy.js';
import type { PolicyParseProblem } from './policy-parse-problem.js';
import { TokenCursor } from './token-cursor.js';

const tooLong = (length: number): PolicyParseProblem => ({
  message: `the text is too long: at most ${policyLimits.textLength} characters`,
  span: { start: policyLimits.textLength, end: length },
  suggestion: null,
});

/** Whether the next tokens are an identifier and `(`, as at the start of a policy. */
const atCall = (cursor: TokenCursor): boolean => {
  if (!cursor.at('identifier')) return false;
  const word = cursor.advance();
  const isCall = cursor.at('(');
  cursor.rewind(word);
  return isCall;
};

const atEffect = (cursor: TokenCursor): boolean =>
  (cursor.atWord('permit') || cursor.atWord('forbid')) && atCall(cursor);

/**
 * Skips a broken policy that begins at `start`. Stops after a `;` that an identifier and `(` follow, or at `@` or an
 * effect with `(`, which never occur inside a policy.
 */
const skipPolicy = (cursor: TokenCursor, start: number): void => {
  while (!cursor.at('end')) {
    if (cursor.token.start > start && (cursor.at('@') || atEffect(cursor))) return;
    if (cursor.advance().kind === ';' && atCall(cursor)) return;
  }
};

/**
 * Parses all policies and templates of a text, with the ids `policy0`, `policy1` and so on. The error lists all
 * problems in source order, at most `policyLimits.problems`: the parser continues after a broken policy. Time and
 * memory are linear in the text; `policyLimits.depth` bounds the depth of the tree.
 */
export const parsePolicies = (
  text: string,
  dialect: PolicyDialect,
): Result<readonly Policy[], readonly PolicyParseProblem[]> => {
  if (text.length > policyLimits.textLength) return err([tooLong(text.length)]);
  const cursor = new TokenCursor(text, dialect);
  const policies: Policy[] = [];
  while (!cursor.at('end')) {
    cursor.resetDepth();
    if (policies.length >= policyLimits.policies) {
      cursor.report(`more than ${policyLimits.policies} policies`, cursor.token);
      break;
    }
    const { start } = cursor.token;
    const policy = parsePolicy(cursor, `policy${policies.length}`);
    if (policy === null) skipPolicy(cursor, start);
    else policies.push(policy);
  }
  return cursor.problems.length === 0 ? ok(policies) : err(cursor.problemsInOrder());
};
