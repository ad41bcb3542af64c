import type { EntityUid } from './value.js';

/** The type is a valid Cedar name. */
export const entityUid = (type: string, id: string): EntityUid => ({ kind: 'entity', type, id });

/** Stands for the entity in maps and sets: equal entities, and no others, have equal keys. No type has a NUL in it. */
export const entityKey = (uid: EntityUid): string => `${uid.type}\0${uid.id}`;

export const sameEntity = (a: EntityUid, b: EntityUid): boolean => a === b || (a.id === b.id && a.type === b.type);

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\0', '\\0'],
]);

const escaped = (character: string): string => {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  // Half of a surrogate pair has no escape in Cedar.
  return `\\u{${(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code).toString(16)}}`;
};

/**
 * The entity as Cedar text: `User::"alice"`. What cannot be seen is escaped, so that it is one line and safe to log.
 */
export const formatEntityUid = (uid: EntityUid): string =>
  `${uid.type}::"${uid.id.replace(/["\\\p{C}\p{Zl}\p{Zp}]/gu, escaped)}"`;
