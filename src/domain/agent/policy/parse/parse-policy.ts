import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import type { Policy, PolicyCondition, PolicyEffect, ScopeConstraint, SlotName } from '../syntax-tree.js';
import { wordHint } from './near-misses.js';
import { parseAnnotations } from './parse-annotations.js';
import { parseExpression } from './parse-expression.js';
import { parseScope } from './parse-scope.js';
import type { TokenCursor } from './token-cursor.js';

const semicolonHint = 'put `;` at the end of the policy';

const parseEffect = (cursor: TokenCursor): PolicyEffect | null => {
  const { kind, text } = cursor.token;
  if (kind === 'identifier' && (text === 'permit' || text === 'forbid')) {
    cursor.advance();
    return text;
  }
  if (kind === ';') return cursor.unexpected('`permit` or `forbid`', 'one `;` ends a policy');
  const near = kind === 'identifier' ? (wordHint(text) ?? didYouMean(text, ['permit', 'forbid'])) : null;
  return cursor.unexpected('`permit` or `forbid`', near);
};

const parseCondition = (cursor: TokenCursor): PolicyCondition | null => {
  const word = cursor.advance();
  if (!cursor.expect('{', `\`{\` after \`${word.text}\``)) return null;
  if (cursor.at('}')) return cursor.unexpected('a condition', 'leave the clause out where nothing is asked');
  const body = parseExpression(cursor);
  if (body === null || !cursor.expect('}', '`}` or an operator')) return null;
  const kind = word.text === 'when' ? 'when' : 'unless';
  return { kind, body: body.expression, span: cursor.spanFrom(word.start) };
};

const parseConditions = (cursor: TokenCursor): readonly PolicyCondition[] | null => {
  const conditions: PolicyCondition[] = [];
  while (cursor.atWord('when') || cursor.atWord('unless')) {
    const condition = parseCondition(cursor);
    if (condition === null) return null;
    conditions.push(condition);
  }
  return conditions;
};

const nearestClause = (word: string): string | null => wordHint(word) ?? didYouMean(word, ['when', 'unless']);

/** True: passed, or clearly forgotten, so that the next policy can be read from here. */
const parseSemicolon = (cursor: TokenCursor): boolean => {
  if (cursor.take(';')) return true;
  const isNext = cursor.at('@') || cursor.at('end') || cursor.atWord('permit') || cursor.atWord('forbid');
  if (isNext) {
    const end = cursor.previousEnd;
    cursor.report('the policy does not end: expected `;`', { start: end - 1, end }, semicolonHint);
    return true;
  }
  const near = cursor.at('identifier') ? nearestClause(cursor.token.text) : null;
  cursor.unexpected('`when`, `unless` or `;`', near);
  return false;
};

const slotsOf = (...constraints: readonly ScopeConstraint[]): readonly SlotName[] =>
  constraints.flatMap((constraint) =>
    'entity' in constraint && constraint.entity.kind === 'slot' ? [constraint.entity.name] : [],
  );

/**
 * One policy or template up to its `;`, passed. A policy at all only where nothing was reported; null: the cursor is somewhere
 * inside a broken policy.
 */
export const parsePolicy = (cursor: TokenCursor, id: string): Policy | null => {
  const { start } = cursor.token;
  const annotations = parseAnnotations(cursor);
  const effect = annotations && parseEffect(cursor);
  const scope = effect && parseScope(cursor);
  const conditions = scope && parseConditions(cursor);
  if (annotations === null || effect === null || scope === null || conditions === null) return null;
  if (!parseSemicolon(cursor)) return null;
  const { principal, action, resource, spans } = scope;
  return {
    id,
    annotations,
    effect,
    principal,
    action,
    resource,
    conditions,
    slots: slotsOf(principal, resource),
    span: cursor.spanFrom(start),
    scopeSpans: spans,
  };
};
