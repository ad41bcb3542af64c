import type { SourceSpan } from '../source-lines.js';
import { reservedWords, type Token } from './token.js';
import type { TokenCursor } from './token-cursor.js';
import { unescapeText } from './unescape-text.js';

const maxSuggestionLength = 100;

/** The value of a string token. Reports a bad escape and then returns the empty string. */
export const stringValue = (cursor: TokenCursor, token: Token): string => {
  const value = unescapeText(cursor.text, token.start + 1, token.end - 1);
  if (value.ok) return value.value;
  cursor.report(value.error.message, { start: value.error.start, end: value.error.end });
  return '';
};

/** Reports a reserved word that is used as a name. */
export const checkName = (cursor: TokenCursor, token: Token): void => {
  if (!reservedWords.has(token.text)) return;
  cursor.report(`\`${token.text}\` is a reserved word and cannot be a name`, { start: token.start, end: token.end });
};

/** Consumes a single-identifier name, such as an attribute. */
export const parseIdentifier = (cursor: TokenCursor, expected: string, suggestion: string | null): string | null => {
  if (!cursor.at('identifier')) return cursor.unexpected(expected, suggestion);
  const token = cursor.advance();
  checkName(cursor, token);
  return token.text;
};

export interface ParsedName {
  readonly name: string;
  /** Start offset of the first identifier. */
  readonly start: number;
  readonly span: SourceSpan;
  readonly isPath: boolean;
  /** The string after the last `::`, if the name is an entity; otherwise null. */
  readonly id: string | null;
}

/** Consumes `A`, `A::B` or `A::B::"id"`. The caller has checked that the next token is an identifier. */
export const parseName = (cursor: TokenCursor): ParsedName | null => {
  const first = cursor.advance();
  const parts = [first];
  let id: string | null = null;
  while (id === null && cursor.take('::')) {
    if (cursor.at('string')) {
      id = stringValue(cursor, cursor.advance());
    } else if (cursor.at('identifier')) {
      parts.push(cursor.advance());
    } else {
      return cursor.unexpected('a name or a string after `::`', 'entities are written as in `User::"alice"`');
    }
  }
  if (parts.length > 1 || id !== null) for (const part of parts) checkName(cursor, part);
  const name = parts.map((part) => part.text).join('::');
  return { name, start: first.start, span: cursor.spanFrom(first.start), isPath: parts.length > 1, id };
};

/** Suggests quotes around the last part of `A::B`. */
export const quotedEntity = (name: string): string | null => {
  if (name.length > maxSuggestionLength) return null;
  const at = name.lastIndexOf('::');
  return `entities have quotes: did you mean \`${name.slice(0, at)}::"${name.slice(at + 2)}"\`?`;
};

/** Consumes the name of an entity type. */
export const parseTypeName = (cursor: TokenCursor): string | null => {
  if (cursor.at('string')) {
    return cursor.unexpected('an entity type after `is`', 'write the type without quotes');
  }
  if (!cursor.at('identifier')) return cursor.unexpected('an entity type after `is`');
  const { token } = cursor;
  const parsed = parseName(cursor);
  if (parsed === null) return null;
  if (parsed.id !== null) {
    return cursor.report('expected an entity type after `is`, found an entity', parsed.span, 'use `==` for one entity');
  }
  if (!parsed.isPath) checkName(cursor, token);
  return parsed.name;
};
