import { abbreviateText } from '../abbreviate-text.js';
import { policyLimits } from '../policy-limits.js';
import type { ScopeEntity, Slot } from '../syntax-tree.js';
import type { EntityUid } from '../values/value.js';
import { parseName, quotedEntity } from './parse-name.js';
import type { TokenCursor } from './token-cursor.js';

/** Consumes what `parse` reads, enclosed in any number of parentheses. */
export const inParentheses = <Part>(cursor: TokenCursor, parse: () => Part | null): Part | null => {
  let count = 0;
  for (; cursor.at('('); count += 1) {
    if (count >= policyLimits.depth) return cursor.tooDeep(cursor.token);
    cursor.advance();
  }
  const part = parse();
  for (; part !== null && count > 0; count -= 1) if (!cursor.expect(')')) return null;
  return part;
};

/** Consumes `Type::"id"`. `expected` names it in a problem. */
export const parseScopeUid = (cursor: TokenCursor, expected: string): EntityUid | null => {
  if (!cursor.at('identifier')) return cursor.unexpected(expected);
  const name = parseName(cursor);
  if (name === null) return null;
  if (name.id !== null) return { kind: 'entity', type: name.name, id: name.id };
  const hint = name.isPath ? quotedEntity(name.name) : null;
  return cursor.report(`expected ${expected}, found \`${abbreviateText(name.name)}\``, name.span, hint);
};

const parseSlot = (cursor: TokenCursor, variable: 'principal' | 'resource'): Slot | null => {
  const token = cursor.advance();
  const name = `?${variable}` as const;
  if (token.text === name) return { kind: 'slot', name };
  return cursor.report(`the slot here must be \`${name}\`, found \`${abbreviateText(token.text)}\``, token);
};

/** Consumes an entity or the slot of the variable. */
export const parseScopeEntity = (cursor: TokenCursor, variable: 'principal' | 'resource'): ScopeEntity | null => {
  const expected = `an entity, as in \`User::"alice"\`, or \`?${variable}\``;
  return inParentheses(cursor, (): ScopeEntity | null => {
    if (cursor.at('[')) {
      return cursor.unexpected(expected, 'only `action` takes several; use `in` with a group, or a `when` condition');
    }
    return cursor.at('slot') ? parseSlot(cursor, variable) : parseScopeUid(cursor, expected);
  });
};
