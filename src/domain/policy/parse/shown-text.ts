const longestShown = 40;

/** Control characters, and those that turn the direction of a text or cannot be seen. */
const isHidden = (code: number): boolean =>
  code < 0x20 ||
  (code >= 0x7f && code <= 0xa0) ||
  code === 0xad ||
  code === 0x61c ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x2028 && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x206f) ||
  (code >= 0xd800 && code <= 0xdfff) ||
  code === 0xfeff;

const shownCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return isHidden(code) ? `\\u{${code.toString(16)}}` : character;
};

/** A piece of a policy text as messages show it: short, on one line, and nothing in it is hidden. */
export const shownText = (text: string): string => {
  const isLong = text.length > longestShown;
  const shown = Array.from(text.slice(0, longestShown), shownCharacter).join('');
  return isLong ? `${shown}...` : shown;
};
