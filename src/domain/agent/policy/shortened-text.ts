/** UTF-16 code units. */
const longestPiece = 40;
const longestName = 128;

const shownCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The text on one line, with nothing hidden in it: what cannot be seen, or turns the direction of text, is escaped. */
export const visibleText = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}\u00a0]/gu, shownCharacter);

const shortened = (text: string, longest: number): string =>
  text.length > longest ? `${visibleText(text.slice(0, longest))}...` : visibleText(text);

/** A piece of a policy text as messages show it: short, on one line, and nothing in it is hidden. */
export const shortenedText = (text: string): string => shortened(text, longestPiece);

/** The same for a name: of an entity type, a policy, an entity. As long as people make them, but bounded. */
export const shownName = (text: string): string => shortened(text, longestName);

/** As `shownName`, in quotes; those inside it, and backslashes, are escaped. */
export const quotedName = (name: string): string => {
  const shown = visibleText(name.slice(0, longestName).replace(/["\\]/g, '\\$&'));
  return name.length > longestName ? `"${shown}"...` : `"${shown}"`;
};
