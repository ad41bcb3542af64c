import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { abbreviateText } from '../abbreviate-text.js';
import type { SourceSpan } from '../source-lines.js';
import type {
  ActionConstraint,
  Policy,
  PolicyCondition,
  PolicyEffect,
  ScopeConstraint,
  SlotName,
} from '../syntax-tree.js';
import type { EntityUid } from '../values/value.js';
import { wordHint } from './near-misses.js';
import { parseExpression } from './parse-expression.js';
import { parseTypeName, stringValue } from './parse-name.js';
import { inParentheses, parseScopeEntity, parseScopeUid } from './parse-scope-entity.js';
import type { TokenCursor } from './token-cursor.js';

/** Consumes a single action. Its type is `Action`, in any namespace. */
const parseAction = (cursor: TokenCursor): EntityUid | null => {
  const { start } = cursor.token;
  const action = parseScopeUid(cursor, 'an action, as in `Action::"GET"`');
  if (action !== null && action.type !== 'Action' && !action.type.endsWith('::Action')) {
    const message = `the type of an action is \`Action\`, found \`${abbreviateText(action.type)}\``;
    cursor.report(message, cursor.spanFrom(start));
  }
  return action;
};

const parseElement = (cursor: TokenCursor): EntityUid | null => inParentheses(cursor, () => parseAction(cursor));

/** Consumes one action or `[A, B]`. */
const parseActions = (cursor: TokenCursor): readonly EntityUid[] | null => {
  if (!cursor.take('[')) {
    const action = parseAction(cursor);
    return action && [action];
  }
  const actions: EntityUid[] = [];
  while (!cursor.at(']')) {
    const action = parseElement(cursor);
    if (action === null) return null;
    actions.push(action);
    if (!cursor.take(',') && !cursor.at(']')) return cursor.unexpected('`,` or `]`');
  }
  cursor.advance();
  return actions;
};

const parseOne = (cursor: TokenCursor): EntityUid | null =>
  cursor.at('[') ? cursor.unexpected('one action', 'use `in` for several') : parseAction(cursor);

/** Consumes the constraint after `action`. */
const parseActionConstraint = (cursor: TokenCursor): ActionConstraint | null => {
  if (cursor.atWord('is')) {
    return cursor.report('`is` cannot be in the scope of the action', cursor.token, 'use `==` or `in`');
  }
  if (cursor.take('==')) {
    const entity = inParentheses(cursor, () => parseOne(cursor));
    return entity && { kind: 'equals', entity };
  }
  if (!cursor.atWord('in')) return { kind: 'any' };
  cursor.advance();
  const entities = inParentheses(cursor, () => parseActions(cursor));
  return entities && { kind: 'in', entities };
};

type ScopeVariable = 'principal' | 'action' | 'resource';

const scopeOrder = 'a scope is `(principal, action, resource)` in that order';
const conditionHint = 'put further tests into a `when` condition';

const hintAfter = (cursor: TokenCursor, variable: ScopeVariable): string | null => {
  if (cursor.at(':')) return 'write `is` before a type';
  if (cursor.at('.')) return conditionHint;
  return cursor.at('identifier') ? `after \`${variable}\` there can be \`==\`, \`in\`, \`is\` or a comma` : null;
};

const meantBy = (cursor: TokenCursor, variable: ScopeVariable): string | null => {
  if (cursor.at(')')) return scopeOrder;
  if (!cursor.at('identifier')) return null;
  const { text } = cursor.token;
  const isOther = text === 'principal' || text === 'action' || text === 'resource';
  return (isOther ? null : (wordHint(text) ?? didYouMean(text, [variable]))) ?? scopeOrder;
};

/** Consumes the variable at the start of a scope part. */
const parseScopeVariable = (cursor: TokenCursor, variable: ScopeVariable): boolean => {
  if (!cursor.atWord(variable)) {
    cursor.unexpected(`\`${variable}\``, meantBy(cursor, variable));
    return false;
  }
  cursor.advance();
  const { kind } = cursor.token;
  const isGood = kind === ',' || kind === ')' || kind === '==' || ['in', 'is'].some((word) => cursor.atWord(word));
  if (!isGood)
    cursor.unexpected(
      `${variable === 'resource' ? '`)`' : '`,`'}, \`==\`, \`in\` or \`is\``,
      hintAfter(cursor, variable),
    );
  return isGood;
};

/** The scope of a policy and the spans of its parts. */
interface ParsedScope {
  readonly principal: ScopeConstraint;
  readonly action: ActionConstraint;
  readonly resource: ScopeConstraint;
  readonly spans: { readonly principal: SourceSpan; readonly action: SourceSpan; readonly resource: SourceSpan };
}

const parseConstraint = (cursor: TokenCursor, variable: 'principal' | 'resource'): ScopeConstraint | null => {
  let entityType: string | null = null;
  if (cursor.atWord('is')) {
    cursor.advance();
    entityType = parseTypeName(cursor);
    if (entityType === null) return null;
  }
  if (cursor.atWord('in')) {
    cursor.advance();
    const entity = parseScopeEntity(cursor, variable);
    if (entity === null) return null;
    return entityType === null ? { kind: 'in', entity } : { kind: 'is-in', entityType, entity };
  }
  if (entityType !== null) return { kind: 'is', entityType };
  if (!cursor.take('==')) return { kind: 'any' };
  const entity = parseScopeEntity(cursor, variable);
  return entity && { kind: 'equals', entity };
};

const parsePart = <Part>(
  cursor: TokenCursor,
  variable: 'principal' | 'action' | 'resource',
  parse: () => Part | null,
): { readonly part: Part; readonly span: SourceSpan } | null => {
  const { start } = cursor.token;
  if (!parseScopeVariable(cursor, variable)) return null;
  const part = parse();
  if (part === null) return null;
  const span = cursor.spanFrom(start);
  if (cursor.take(',')) return { part, span };
  if (variable === 'resource') return cursor.at(')') ? { part, span } : cursor.unexpected('`)`');
  if (cursor.at('==')) return cursor.unexpected('`,`', 'after a type there can be `in`');
  return cursor.unexpected('`,`', cursor.at(')') ? scopeOrder : null);
};

/** Consumes `(principal .., action .., resource ..)`. */
const parseScope = (cursor: TokenCursor): ParsedScope | null => {
  if (!cursor.expect('(', '`(` and the scope', scopeOrder)) return null;
  const principal = parsePart(cursor, 'principal', () => parseConstraint(cursor, 'principal'));
  const action = principal && parsePart(cursor, 'action', () => parseActionConstraint(cursor));
  const resource = action && parsePart(cursor, 'resource', () => parseConstraint(cursor, 'resource'));
  if (principal === null || action === null || resource === null) return null;
  if (!cursor.expect(')', '`)`', 'a scope has three parts')) return null;
  const spans = { principal: principal.span, action: action.span, resource: resource.span };
  return { principal: principal.part, action: action.part, resource: resource.part, spans };
};

/** Consumes any number of `@name("value")` and `@name`. The name can be any word. */
const parseAnnotations = (cursor: TokenCursor): ReadonlyMap<string, string> | null => {
  const annotations = new Map<string, string>();
  while (cursor.take('@')) {
    if (!cursor.at('identifier')) return cursor.unexpected('the name of an annotation after `@`');
    const name = cursor.advance();
    let value = '';
    if (cursor.take('(')) {
      if (!cursor.at('string')) return cursor.unexpected('the value of the annotation as a string');
      value = stringValue(cursor, cursor.advance());
      if (!cursor.expect(')')) return null;
    }
    if (annotations.has(name.text))
      cursor.report(`the annotation \`@${abbreviateText(name.text)}\` is given twice`, name);
    annotations.set(name.text, value);
  }
  return annotations;
};

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
  if (cursor.at('}')) return cursor.unexpected('a condition', 'remove an empty clause');
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

/** True if consumed, or if it is clearly missing and the next policy starts here. */
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
 * Consumes one policy or template, including its `;`. The result is valid only if no problem was reported. Null if the
 * cursor is still inside a broken policy.
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
