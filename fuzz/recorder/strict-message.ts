/**
 * Reads requests and responses as RFC 9112 has them, in the plainest way that can be written: on texts, whole, line
 * by line. It judges what the gateway sends, so it shares nothing with what the gateway reads with. Each character is
 * one octet.
 */
export interface StrictMessage {
  /** The first line. */
  readonly line: string;
  /** Names in lower case, values without blanks around them. */
  readonly fields: readonly (readonly [string, string])[];
  /** Content, without its framing. */
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
  /** Where it begins, with empty lines before it, and the place behind it. */
  readonly start: number;
  readonly end: number;
  /** False: its end has not come, or its content is not sound. */
  readonly isComplete: boolean;
  /** What is wrong with its content; null: nothing, as far as it has come. */
  readonly fault: string | null;
  /** A chunk of it has extensions. */
  readonly hasExtensions: boolean;
}

/** What was wrong, for people. */
export class StrictFault extends Error {}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldText = /^[\t\x20-\x7e\x80-\xff]*$/;

type Fields = readonly (readonly [string, string])[];

const fault = (text: string): never => {
  throw new StrictFault(text);
};

const printed = (text: string): string => JSON.stringify(text.slice(0, 60));

/** Lines up to an empty one, from `start` on; null where that has not come. */
const section = (text: string, start: number): { readonly lines: string[]; readonly end: number } | null => {
  const end = text.startsWith('\r\n', start) ? start : text.indexOf('\r\n\r\n', start);
  if (end < 0) return null;
  if (end === start) return { lines: [], end: start + 2 };
  return { lines: text.slice(start, end).split('\r\n'), end: end + 4 };
};

const readField = (line: string): readonly [string, string] => {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  if (!token.test(name)) fault(`a field name that is no token: ${printed(line)}`);
  const value = line.slice(colon + 1);
  if (!fieldText.test(value)) fault(`a control in a field value: ${printed(line)}`);
  let from = 0;
  let to = value.length;
  while (from < to && (value[from] === ' ' || value[from] === '\t')) from += 1;
  while (to > from && (value[to - 1] === ' ' || value[to - 1] === '\t')) to -= 1;
  return [name.toLowerCase(), value.slice(from, to)];
};

export const valuesIn = (fields: Fields, name: string): readonly string[] =>
  fields.flatMap(([key, value]) => (key === name ? [value] : []));

/** How content is framed: octets, in chunks, or not at all; null: neither field is there. */
const framingOf = (fields: Fields, version: string): number | 'chunked' | null => {
  const lengths = valuesIn(fields, 'content-length');
  const codings = valuesIn(fields, 'transfer-encoding');
  if (lengths.length + codings.length > 1) fault('framed twice');
  const [length] = lengths;
  if (length !== undefined)
    return /^\d{1,15}$/.test(length) ? Number(length) : fault(`Content-Length ${printed(length)}`);
  const [coding] = codings;
  if (coding === undefined) return null;
  if (coding.toLowerCase() !== 'chunked') fault(`Transfer-Encoding ${printed(coding)}`);
  if (version === 'HTTP/1.0') fault('a transfer coding in HTTP/1.0');
  return 'chunked';
};

interface Content {
  readonly body: string;
  readonly trailers: Fields;
  readonly end: number;
  readonly isComplete: boolean;
  readonly fault: string | null;
  readonly hasExtensions: boolean;
}

/** RFC 9112, section 7.1.1. */
const extension =
  /[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*=[ \t]*(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?/;
const sizeLine = new RegExp(`^[0-9A-Fa-f]{1,16}(?<extensions>(?:${extension.source})*)$`);
const beginOfSizeLine = /^[0-9A-Fa-f]{0,16}(?:[ \t;][\t\x20-\x7e\x80-\xff]*)?\r?$/;
const mostExtensionOctets = { ofChunk: 256, ofBody: 8_192 };

const readChunks = (text: string, start: number): Content => {
  let at = start;
  let body = '';
  let extensionOctets = 0;
  const cut = (fault: string | null): Content => ({
    body,
    trailers: [],
    end: text.length,
    isComplete: false,
    fault,
    hasExtensions: extensionOctets > 0,
  });
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const line = lineEnd < 0 ? text.slice(at) : text.slice(at, lineEnd);
    const size = Number.parseInt(line, 16);
    if (!(lineEnd < 0 ? beginOfSizeLine : sizeLine).test(line)) return cut(`a chunk size ${printed(line)}`);
    if (lineEnd < 0) return cut(null);
    const octets = sizeLine.exec(line)?.groups?.['extensions']?.length ?? 0;
    extensionOctets += octets;
    if (octets > mostExtensionOctets.ofChunk || extensionOctets > mostExtensionOctets.ofBody)
      return cut('too many octets of chunk extensions');
    if (size > 2 ** 52) return cut('a chunk size beyond counting');
    at = lineEnd + 2;
    if (size === 0) break;
    body += text.slice(at, at + size);
    const behind = text.slice(at + size, at + size + 2);
    if (!'\r\n'.startsWith(behind)) return cut(`octets behind a chunk: ${printed(behind)}`);
    if (behind.length < 2) return cut(null);
    at += size + 2;
  }
  const trailing = section(text, at);
  if (trailing === null) return cut(null);
  try {
    const trailers = trailing.lines.map(readField);
    return { ...cut(null), trailers, end: trailing.end, isComplete: true };
  } catch (error) {
    if (!(error instanceof StrictFault)) throw error;
    return cut(error.message);
  }
};

const readContent = (text: string, start: number, framing: number | 'chunked'): Content => {
  if (framing === 'chunked') return readChunks(text, start);
  const end = Math.min(text.length, start + framing);
  const isComplete = text.length - start >= framing;
  return { body: text.slice(start, end), trailers: [], end, isComplete, fault: null, hasExtensions: false };
};

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\x21-\x7e]+ (HTTP\/1\.[01])$/;
const statusLine = /^(HTTP\/1\.[01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

/** The request at this place; null where its head has not all come. Throws a `StrictFault`. */
export const readStrictRequest = (text: string, start: number): StrictMessage | null => {
  let at = start;
  while (text.startsWith('\r\n', at)) at += 2;
  if (at >= text.length) return null;
  const head = section(text, at);
  if (head === null) return null;
  const [line = '', ...rest] = head.lines;
  const version = requestLine.exec(line)?.[1];
  if (version === undefined) return fault(`a request line ${printed(line)}`);
  const fields = rest.map(readField);
  if (valuesIn(fields, 'host').length > 1) fault('several Hosts');
  const content = readContent(text, head.end, framingOf(fields, version) ?? 0);
  return { line, fields, start, ...content };
};

export interface StrictResponse extends StrictMessage {
  readonly status: number;
  /** Its end is that of the connection. */
  readonly endsWithConnection: boolean;
}

/** The response at this place, interim ones too; null where its head has not all come. Throws a `StrictFault`. */
export const readStrictResponse = (text: string, start: number, isToHead: boolean): StrictResponse | null => {
  const head = section(text, start);
  if (head === null) return null;
  const [line = '', ...rest] = head.lines;
  const [, version, digits] = statusLine.exec(line) ?? fault(`a status line ${printed(line)}`);
  const status = Number(digits);
  const fields = rest.map(readField);
  const framing = framingOf(fields, version as string);
  const isBare = isToHead || status < 200 || status === 204 || status === 304;
  if (framing === 'chunked' && (status < 200 || status === 204)) fault(`a transfer coding with ${status}`);
  if (isBare)
    return {
      line,
      status,
      fields,
      body: '',
      trailers: [],
      start,
      end: head.end,
      isComplete: true,
      fault: null,
      hasExtensions: false,
      endsWithConnection: false,
    };
  if (framing === null) {
    const all = { body: text.slice(head.end), trailers: [], end: text.length, isComplete: true, fault: null };
    return { line, status, fields, start, ...all, hasExtensions: false, endsWithConnection: true };
  }
  return { line, status, fields, start, ...readContent(text, head.end, framing), endsWithConnection: false };
};
