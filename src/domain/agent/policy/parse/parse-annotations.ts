import { shortenedText } from '../shortened-text.js';
import { stringValue } from './parse-name.js';
import type { TokenCursor } from './token-cursor.js';

/** `@name("value")` and `@name`, any number; passed. Any word can be the name. */
export const parseAnnotations = (cursor: TokenCursor): ReadonlyMap<string, string> | null => {
  const annotations = new Map<string, string>();
  while (cursor.take('@')) {
    if (!cursor.at('identifier')) return cursor.unexpected('the name of an annotation after `@`');
    const name = cursor.advance();
    let value = '';
    if (cursor.take('(')) {
      if (!cursor.at('string')) return cursor.unexpected('the value of the annotation as a string');
      value = stringValue(cursor, cursor.advance());
      if (!cursor.expect(')')) return null;
    }
    if (annotations.has(name.text))
      cursor.report(`the annotation \`@${shortenedText(name.text)}\` is given twice`, name);
    annotations.set(name.text, value);
  }
  return annotations;
};
