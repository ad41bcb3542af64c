/** Control characters, and those that turn the direction of text, shown as spaces: a file must not paint on a terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** A piece of a source on one line, cut where it is long. */
export const onOneLine = (text: string, longest: number): string => {
  const line = printable(text.slice(0, longest * 4))
    .replace(/ {2,}/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest).join('')}...`;
};
