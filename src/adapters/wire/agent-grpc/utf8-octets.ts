const isContinuation = (octet: number | undefined): boolean => octet !== undefined && (octet & 0xc0) === 0x80;

/** Octets of the character beyond ASCII that begins there (RFC 3629, section 4); 0 where none does. */
const characterLength = (octets: Uint8Array, at: number, end: number): number => {
  const first = octets[at] as number;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0;
  const second = octets[at + 1] as number;
  // Longer than it has to be, a surrogate, or beyond U+10FFFF.
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  for (let index = 1; index < length; index += 1) if (!isContinuation(octets[at + index])) return 0;
  return length;
};

/** Where the ASCII that begins at `start` ends: most of most texts, which can be long. */
const asciiEnd = (octets: Uint8Array, start: number, end: number): number => {
  let position = start;
  while (position < end && (octets[position] as number) < 0x80) position += 1;
  return position;
};

/** Whether the octets from `start` up to `end` are UTF-8. */
export const isUtf8 = (octets: Uint8Array, start: number, end: number): boolean => {
  let position = asciiEnd(octets, start, end);
  while (position < end) {
    const length = characterLength(octets, position, end);
    if (length === 0) return false;
    position = asciiEnd(octets, position + length, end);
  }
  return true;
};
