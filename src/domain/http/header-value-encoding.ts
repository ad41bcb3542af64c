/** Values that need no encoding. */
const plain = /^[\x21-\x24\x26-\x7e](?:[\x20-\x24\x26-\x7e]*[\x21-\x24\x26-\x7e])?$/;

const encodeCharacter = (character: string): string => {
  const codePoint = character.codePointAt(0) as number;
  if (codePoint >= 0x20 && codePoint <= 0x7e && character !== '%') return character;
  // A lone surrogate has no UTF-8 encoding; it becomes the replacement character.
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return '%EF%BF%BD';
  return encodeURIComponent(character);
};

/**
 * Encodes a text as an identity header value: keeps 0x20 to 0x7E except `%`, percent-encodes the rest as
 * UTF-8. Also encodes a leading or trailing space, which a field value would lose (RFC 9110, section 5.5).
 */
export const encodeHeaderValue = (text: string): string => {
  if (plain.test(text)) return text;
  const encoded = Array.from(text, encodeCharacter);
  for (let index = 0; index < encoded.length && encoded[index] === ' '; index += 1) encoded[index] = '%20';
  for (let index = encoded.length - 1; index >= 0 && encoded[index] === ' '; index -= 1) encoded[index] = '%20';
  return encoded.join('');
};
