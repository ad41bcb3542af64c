/** Characters of a text that somebody else has made, and items of a list, in one line. */
const longestText = 256;
const longestList = 16;

/** What cannot be seen in a line, ends it, or turns the direction of its text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`,
  ).join('');

/** A text as lines show it: short, and with nothing hidden in it. */
export const loggedText = (text: string): string => {
  // To escape makes a text longer, so that nothing of what is cut here could be shown.
  const visible = text.slice(0, longestText + 1).replace(unprintable, escaped);
  return visible.length > longestText ? `${visible.slice(0, longestText)}...` : visible;
};

/** The same for a list of them. */
export const shownTexts = (texts: readonly string[]): readonly string[] => texts.slice(0, longestList).map(loggedText);
