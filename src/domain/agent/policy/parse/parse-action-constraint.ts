import { shortenedText } from '../shortened-text.js';
import type { ActionConstraint } from '../syntax-tree.js';
import type { EntityUid } from '../values/value.js';
import { inParentheses, parseScopeUid } from './parse-scope-entity.js';
import type { TokenCursor } from './token-cursor.js';

/** An action alone; passed. The type of an action is `Action`, in any namespace. */
const parseAction = (cursor: TokenCursor): EntityUid | null => {
  const { start } = cursor.token;
  const action = parseScopeUid(cursor, 'an action, as in `Action::"GET"`');
  if (action !== null && action.type !== 'Action' && !action.type.endsWith('::Action')) {
    const message = `the type of an action is \`Action\`, found \`${shortenedText(action.type)}\``;
    cursor.report(message, cursor.spanFrom(start));
  }
  return action;
};

const parseElement = (cursor: TokenCursor): EntityUid | null => inParentheses(cursor, () => parseAction(cursor));

/** One action or `[A, B]`; passed. */
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

/** What a scope says after `action`; passed. */
export const parseActionConstraint = (cursor: TokenCursor): ActionConstraint | null => {
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
