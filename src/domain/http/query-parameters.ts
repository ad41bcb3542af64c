import { hexValue } from './path-normalisation.js';

const percent = 0x25;
const plus = 0x2b;

/** Decodes escapes and `+`; a broken escape stays as it is. The result is a byte string. */
const decoded = (text: string): string => {
  if (!text.includes('%') && !text.includes('+')) return text;
  let octets = '';
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === plus) {
      octets += ' ';
      continue;
    }
    const high = code === percent ? hexValue(text.charCodeAt(index + 1)) : -1;
    const low = high < 0 ? -1 : hexValue(text.charCodeAt(index + 2));
    if (low < 0) octets += text[index];
    else {
      octets += String.fromCharCode(high * 16 + low);
      index += 2;
    }
  }
  return octets;
};

/**
 * The parameters of a query as `[name, value, name, value, ...]`, decoded to byte strings as forms are
 * (application/x-www-form-urlencoded in the URL standard). Never fails; linear in the length of the query.
 */
export const queryParameters = (query: string): readonly string[] => {
  const parameters: string[] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0) parameters.push(decoded(pair), '');
    else parameters.push(decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1)));
  }
  return parameters;
};
