/** UTF-16 code units. */
const longestPiece = 40;
const longestName = 128;

const shownCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Escapes invisible characters, line breaks and characters that change the text direction. */
export const escapeInvisible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}\u00a0]/gu, shownCharacter);

const shortened = (text: string, longest: number): string =>
  text.length > longest ? `${escapeInvisible(text.slice(0, longest))}...` : escapeInvisible(text);

/** An excerpt of a policy text for messages: short, on one line, without invisible characters. */
export const abbreviateText = (text: string): string => shortened(text, longestPiece);

/** As `abbreviateText`, for the name of an entity type, a policy or an entity, with a higher length limit. */
export const abbreviateName = (text: string): string => shortened(text, longestName);

/** As `abbreviateName`, in quotes. Escapes quotes and backslashes inside. */
export const quoteName = (name: string): string => {
  const shown = escapeInvisible(name.slice(0, longestName).replace(/["\\]/g, '\\$&'));
  return name.length > longestName ? `"${shown}"...` : `"${shown}"`;
};
