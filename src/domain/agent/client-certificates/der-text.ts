import { utf8ByteString } from '../../shared/byte-string.js';
import { decodeUtf8 } from '../../shared/utf8.js';

/** String types of X.680, section 8.4, with well-defined characters. TeletexString is only defined for ASCII. */
const utf8String = 0x0c;
const asciiStrings: readonly number[] = [0x12, 0x13, 0x14, 0x16, 0x1a];
const universalString = 0x1c;
const bmpString = 0x1e;

const asciiText = (octets: Uint8Array): string | null =>
  octets.every((octet) => octet < 0x80) ? decodeUtf8(octets) : null;

/** Decodes fixed-width characters; null for a surrogate or a value beyond Unicode. */
const fixedWidthText = (octets: Uint8Array, width: 2 | 4): string | null => {
  if (octets.length % width !== 0) return null;
  let text = '';
  for (let index = 0; index < octets.length; index += width) {
    let codePoint = 0;
    for (let offset = 0; offset < width; offset += 1) codePoint = codePoint * 256 + (octets[index + offset] as number);
    if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return null;
    text += String.fromCodePoint(codePoint);
  }
  return text;
};

/** The text of a DER string, by tag and contents; null if it is not a string, or not a well-defined one. */
export const stringOfDer = (tag: number, contents: Uint8Array): string | null => {
  if (tag === utf8String) return decodeUtf8(contents);
  if (asciiStrings.includes(tag)) return asciiText(contents);
  if (tag === bmpString) return fixedWidthText(contents, 2);
  return tag === universalString ? fixedWidthText(contents, 4) : null;
};

/** The tag and contents of exactly one DER value with a one-octet tag; null otherwise. */
export const readDerValue = (der: Uint8Array): { readonly tag: number; readonly contents: Uint8Array } | null => {
  const [tag, first] = der;
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return null;
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  // Names contain no values of 16 MiB or more.
  if (first === 0x80 || lengthOctets > 3 || der.length < 2 + lengthOctets) return null;
  let length = lengthOctets === 0 ? first : 0;
  for (let index = 0; index < lengthOctets; index += 1) length = length * 256 + (der[2 + index] as number);
  const shortest = lengthOctets === 0 || length >= (lengthOctets === 1 ? 0x80 : 256 ** (lengthOctets - 1));
  const contents = der.subarray(2 + lengthOctets);
  return shortest && contents.length === length ? { tag, contents } : null;
};

const octetHex = (octet: number): string => octet.toString(16).padStart(2, '0');

const lengthHex = (length: number): string => {
  if (length < 0x80) return octetHex(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return octetHex(0x80 | octets.length) + octets.map(octetHex).join('');
};

/** A UTF8String in hexadecimal DER. */
export const utf8StringHex = (text: string): string => {
  const octets = utf8ByteString(text);
  let hex = octetHex(utf8String) + lengthHex(octets.length);
  for (let index = 0; index < octets.length; index += 1) hex += octetHex(octets.charCodeAt(index));
  return hex;
};
