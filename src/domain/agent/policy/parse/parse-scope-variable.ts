import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { wordHint } from './near-misses.js';
import type { TokenCursor } from './token-cursor.js';

type ScopeVariable = 'principal' | 'action' | 'resource';

/** How a scope is written, as a suggestion. */
export const scopeOrder = 'a scope is `(principal, action, resource)` in that order';
const conditionHint = 'further questions go into a `when` condition';

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

/** The word that a part of the scope begins with; passed. */
export const parseScopeVariable = (cursor: TokenCursor, variable: ScopeVariable): boolean => {
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
