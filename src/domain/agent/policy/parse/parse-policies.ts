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

/** Is this a word before `(`, as `permit` is at the beginning of a policy? */
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
 * Goes to where the next policy begins, from a policy that begins at `start`: behind a `;`, unless that was inside of
 * the broken one, or where `permit(` or `@` is, which are nowhere inside of one.
 */
const skipPolicy = (cursor: TokenCursor, start: number): void => {
  while (!cursor.at('end')) {
    if (cursor.token.start > start && (cursor.at('@') || atEffect(cursor))) return;
    if (cursor.advance().kind === ';' && atCall(cursor)) return;
  }
};

/**
 * All policies and templates of a text, with the ids `policy0`, `policy1` and so on. Else all problems, in the order
 * of the text and at most `policyLimits.problems`: after a broken policy the parser goes on behind its `;`. Time and
 * memory are linear in the text, and the tree is bounded by `policyLimits.depth`.
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
