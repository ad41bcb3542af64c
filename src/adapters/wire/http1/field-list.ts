import { type FieldNames, plainNames } from './field-names.js';
import { type MessageHead, spanSize } from './message-head.js';

/** More digits would not be exact. */
const maxDigits = 15;

/** The Content-Length of a value (RFC 9110, section 8.6); -1 unless it is decimal digits only. */
export const lengthValue = (value: string): number => {
  const digits = value.length;
  if (digits === 0 || digits > maxDigits) return -1;
  let length = 0;
  for (let at = 0; at < digits; at += 1) {
    const digit = value.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
};

/**
 * The fields of a head as `[name, value, name, value, ...]`, with order and case kept.
 * @param text the head, one character per octet
 * @param names name table; afterwards its `marks` describe this head
 */
export const fieldList = (
  text: string,
  { spans, fieldCount }: MessageHead,
  names: FieldNames = plainNames,
): string[] => {
  const list: string[] = new Array(fieldCount * 2);
  names.reset();
  for (let field = 0; field < fieldCount; field += 1) {
    const at = field * spanSize;
    list[field * 2] = names.take(text, spans[at] as number, spans[at + 1] as number);
    list[field * 2 + 1] = text.slice(spans[at + 2] as number, spans[at + 3] as number);
  }
  return list;
};
