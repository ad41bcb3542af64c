import { type FieldNames, plainNames } from './field-names.js';
import { type MessageHead, spanSize } from './message-head.js';

/**
 * The fields of a head as `[name, value, name, value, ...]`, in their order and spelling.
 *
 * @param text the head, one character for each octet
 * @param names knows the names; its `marks` are those of this head then
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
