/** What a character can be part of. */
export const characterClass = { other: 0, word: 1, digit: 2, space: 3 } as const;

const codeOf = (character: string): number => character.charCodeAt(0);

const asciiClasses = ((): Uint8Array => {
  const classes = new Uint8Array(128);
  classes.fill(characterClass.word, codeOf('a'), codeOf('z') + 1);
  classes.fill(characterClass.word, codeOf('A'), codeOf('Z') + 1);
  classes[codeOf('_')] = characterClass.word;
  classes.fill(characterClass.digit, codeOf('0'), codeOf('9') + 1);
  classes.fill(characterClass.space, codeOf('\t'), codeOf('\r') + 1);
  classes[codeOf(' ')] = characterClass.space;
  return classes;
})();

/** White space beyond ASCII, as Unicode's White_Space has it (the byte order mark is none). */
const isWideSpace = (code: number): boolean =>
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000;

/** The class of a UTF-16 code unit; NaN (beyond the end) is of the class `other`. */
export const classOf = (code: number): number => {
  if (code < 128) return asciiClasses[code] ?? characterClass.other;
  return isWideSpace(code) ? characterClass.space : characterClass.other;
};
