import type { SourceSpan } from '../source-span.js';
import type { ActionConstraint, ScopeConstraint } from '../syntax-tree.js';
import { parseActionConstraint } from './parse-action-constraint.js';
import { parseTypeName } from './parse-name.js';
import { parseScopeEntity } from './parse-scope-entity.js';
import { parseScopeVariable, scopeOrder } from './parse-scope-variable.js';
import type { TokenCursor } from './token-cursor.js';

/** The scope of a policy and where its parts are. */
export interface ParsedScope {
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

/** `(principal .., action .., resource ..)`; passed. */
export const parseScope = (cursor: TokenCursor): ParsedScope | null => {
  if (!cursor.expect('(', '`(` and the scope', scopeOrder)) return null;
  const principal = parsePart(cursor, 'principal', () => parseConstraint(cursor, 'principal'));
  const action = principal && parsePart(cursor, 'action', () => parseActionConstraint(cursor));
  const resource = action && parsePart(cursor, 'resource', () => parseConstraint(cursor, 'resource'));
  if (principal === null || action === null || resource === null) return null;
  if (!cursor.expect(')', '`)`', 'a scope has three parts')) return null;
  const spans = { principal: principal.span, action: action.span, resource: resource.span };
  return { principal: principal.part, action: action.part, resource: resource.part, spans };
};
