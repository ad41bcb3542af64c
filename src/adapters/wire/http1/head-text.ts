import { reasonPhrase } from './reason-phrases.js';

/** A part of a head that would be read as something else than what was meant, or not at all. */
export class UnwritableHeadError extends Error {
  constructor(part: 'method' | 'request-target' | 'status' | 'field name' | 'field value' | 'chunk size') {
    super(`the ${part} cannot be written`);
    this.name = 'UnwritableHeadError';
  }
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const target = /^[\x21-\x7e]+$/;
/** Anything but `field-vchar`, space and tab: a character beyond one octet would become another one. */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Names that were found to be tokens: heads have the same ones again and again. */
const goodNames = new Set<string>();
const maxGoodNames = 1_024;

const checkName = (name: string): void => {
  if (goodNames.has(name)) return;
  if (!token.test(name)) throw new UnwritableHeadError('field name');
  if (goodNames.size >= maxGoodNames) goodNames.clear();
  if (name.length <= 64) goodNames.add(name);
};

/** Field lines, each with its end (RFC 9112, section 5). `fields`: name and value in turn. */
export const fieldLines = (fields: readonly string[]): string => {
  let text = '';
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    checkName(name);
    if (notInValue.test(value)) throw new UnwritableHeadError('field value');
    text += `${name}: ${value}\r\n`;
  }
  return text;
};

/**
 * A head (RFC 9112, sections 3 and 5), one character for each octet, without the empty line: more lines may follow. Whether
 * the fields frame the body that comes is for others to see to. Throws an `UnwritableHeadError`.
 */
export const requestHeadText = (method: string, requestTarget: string, fields: readonly string[]): string => {
  if (!goodNames.has(method) && !token.test(method)) throw new UnwritableHeadError('method');
  if (!target.test(requestTarget)) throw new UnwritableHeadError('request-target');
  return `${method} ${requestTarget} HTTP/1.1\r\n${fieldLines(fields)}`;
};

/** The same for a response (RFC 9112, section 4). */
export const responseHeadText = (status: number, fields: readonly string[]): string => {
  if (!Number.isInteger(status) || status < 100 || status > 999) throw new UnwritableHeadError('status');
  return `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${fieldLines(fields)}`;
};

/** What comes before the octets of a chunk. Throws an `UnwritableHeadError` for none: that would be the last chunk. */
export const chunkStart = (octets: number): string => {
  if (!Number.isSafeInteger(octets) || octets < 1) throw new UnwritableHeadError('chunk size');
  return `${octets.toString(16)}\r\n`;
};

/** What comes behind them. */
export const chunkEnd = '\r\n';

/** The last chunk and the trailer section. */
export const lastChunk = (trailers: readonly string[]): string => `0\r\n${fieldLines(trailers)}\r\n`;
