import type { EntityUid } from './value.js';

/** `type` must be a valid Cedar name. */
export const entityUid = (type: string, id: string): EntityUid => ({ kind: 'entity', type, id });

/** A key for maps and sets: two keys are equal if and only if the entities are. Types never contain NUL. */
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
  // Cedar has no escape for a lone surrogate.
  return `\\u{${(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code).toString(16)}}`;
};

/** The entity as Cedar text: `User::"alice"`. Invisible characters are escaped, so it is one line and safe to log. */
export const formatEntityUid = (uid: EntityUid): string =>
  `${uid.type}::"${uid.id.replace(/["\\\p{C}\p{Zl}\p{Zp}]/gu, escaped)}"`;
