import { isToken, trimSpace } from './field-syntax.js';

/** One element of a Forwarded field (RFC 7239, section 4). `by` and extensions are ignored. */
export interface ForwardedElement {
  readonly for: string | null;
  readonly proto: string | null;
  readonly host: string | null;
}

/** A token, or the content of a quoted string; null otherwise. */
const parameterValue = (text: string): string | null => {
  if (!text.startsWith('"')) return isToken(text) ? text : null;
  let value = '';
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === '"') return index === text.length - 1 ? value : null;
    if (text[index] === '\\') index += 1;
    value += text[index] ?? '';
  }
  return null;
};

/** Parses one element. Null if it is malformed or repeats a parameter. */
export const parseForwardedElement = (text: string): ForwardedElement | null => {
  const found: { for: string | null; proto: string | null; host: string | null } = {
    for: null,
    proto: null,
    host: null,
  };
  for (const part of text.split(';')) {
    const pair = trimSpace(part);
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const value = equals < 1 ? null : parameterValue(pair.slice(equals + 1));
    if (value === null) return null;
    const name = pair.slice(0, equals).toLowerCase();
    if (name !== 'for' && name !== 'proto' && name !== 'host') continue;
    if (found[name] !== null) return null;
    found[name] = value;
  }
  return found;
};

/** Quotes the text if it is not a token. Addresses and validated hosts need no escapes. */
const quoted = (text: string): string => (isToken(text) ? text : `"${text}"`);

/** Formats one element. IPv6 addresses get brackets. */
export const formatForwardedElement = (element: ForwardedElement): string => {
  let text = '';
  const { for: node, proto, host } = element;
  if (node !== null) text = `for=${quoted(node.includes(':') ? `[${node}]` : node)}`;
  if (proto !== null) text += `${text === '' ? '' : ';'}proto=${proto}`;
  if (host !== null) text += `${text === '' ? '' : ';'}host=${quoted(host)}`;
  return text;
};
