import { type HeadLines, lineLength, unchanged } from './head-lines.js';
import { isOf, targetOctets, tokenOctets, valueOctets } from './octets.js';

/** Reason phrases of registered status codes (RFC 9110, section 15, and IANA). */
const phrases: ReadonlyMap<number, string> = new Map([
  [100, 'Continue'],
  [101, 'Switching Protocols'],
  [102, 'Processing'],
  [103, 'Early Hints'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [203, 'Non-Authoritative Information'],
  [204, 'No Content'],
  [205, 'Reset Content'],
  [206, 'Partial Content'],
  [207, 'Multi-Status'],
  [208, 'Already Reported'],
  [226, 'IM Used'],
  [300, 'Multiple Choices'],
  [301, 'Moved Permanently'],
  [302, 'Found'],
  [303, 'See Other'],
  [304, 'Not Modified'],
  [305, 'Use Proxy'],
  [307, 'Temporary Redirect'],
  [308, 'Permanent Redirect'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [402, 'Payment Required'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [407, 'Proxy Authentication Required'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [411, 'Length Required'],
  [412, 'Precondition Failed'],
  [413, 'Content Too Large'],
  [414, 'URI Too Long'],
  [415, 'Unsupported Media Type'],
  [416, 'Range Not Satisfiable'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [422, 'Unprocessable Content'],
  [423, 'Locked'],
  [424, 'Failed Dependency'],
  [425, 'Too Early'],
  [426, 'Upgrade Required'],
  [428, 'Precondition Required'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [451, 'Unavailable For Legal Reasons'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
  [505, 'HTTP Version Not Supported'],
  [506, 'Variant Also Negotiates'],
  [507, 'Insufficient Storage'],
  [508, 'Loop Detected'],
  [511, 'Network Authentication Required'],
]);

/** The reason phrase of a status, or an empty string. */
const reasonPhrase = (status: number): string => phrases.get(status) ?? '';

/** Part of a head could not be written without a change of meaning. */
export class UnwritableHeadError extends Error {
  constructor(part: 'method' | 'request-target' | 'status' | 'field name' | 'field value' | 'chunk size') {
    super(`the ${part} cannot be written`);
    this.name = 'UnwritableHeadError';
  }
}

/** Received lines inspected per searched field, so that the total cost stays linear. */
const maxLooks = 16;

const noFields: readonly string[] = [];

const isToken = (text: string): boolean => text !== '' && isOf(text, tokenOctets);

/** A newly written line with its line end. */
const ownLine = (name: string, value: string): string => {
  if (!isToken(name)) throw new UnwritableHeadError('field name');
  if (!isOf(value, valueOctets)) throw new UnwritableHeadError('field value');
  return `${name}: ${value}\r\n`;
};

/**
 * Appends field lines with their line ends (RFC 9112, section 5). Lines that stand in the received
 * head are already valid and are copied from it in runs. All others are validated.
 * @param before preceding lines; empty for the lines of the received head
 * @param fields name and value in turn
 * @param same number of leading unchanged entries, from `unchanged`
 */
const withFields = (before: string, fields: readonly string[], received: HeadLines | null, same: number): string => {
  const known = received === null ? noFields : received.fields;
  let text = before;
  /** First received field behind the last copied one. */
  let next = same;
  /** Offset of its line. */
  let end = received === null ? 0 : received.endOf(same);
  /** Start of the pending run of copied lines. */
  let begin = before === '' || received === null ? 0 : received.start;
  for (let at = same; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    const last = Math.min(known.length, next + maxLooks * 2);
    let found = next;
    let place = end;
    while (found < last && (known[found] !== name || known[found + 1] !== value)) {
      place += lineLength(known[found] as string, known[found + 1] as string);
      found += 2;
    }
    if (found < last) {
      if (found !== next) {
        if (begin < end) text += (received as HeadLines).text.slice(begin, end);
        begin = place;
      }
      next = found + 2;
      end = place + lineLength(name, value);
    } else {
      if (begin < end) text += (received as HeadLines).text.slice(begin, end);
      begin = end;
      text += ownLine(name, value);
    }
  }
  return begin < end ? text + (received as HeadLines).text.slice(begin, end) : text;
};

/**
 * Field lines with their line ends (RFC 9112, section 5). `fields` holds name and value in turn.
 */
export const fieldLines = (fields: readonly string[]): string => {
  let text = '';
  for (let at = 0; at + 1 < fields.length; at += 2) text += ownLine(fields[at] as string, fields[at + 1] as string);
  return text;
};

/** Octets of a request line besides method and target. */
const requestLineExtra = ' '.length + ' HTTP/1.1\r\n'.length;

/** A request line with its line end (RFC 9112, section 3). Throws `UnwritableHeadError`. */
export const requestLine = (method: string, requestTarget: string): string => {
  if (!isToken(method)) throw new UnwritableHeadError('method');
  if (requestTarget === '' || !isOf(requestTarget, targetOctets)) throw new UnwritableHeadError('request-target');
  return `${method} ${requestTarget} HTTP/1.1\r\n`;
};

/** Whether the received request line can be reused. */
const hasRequestLine = ({ text, methodEnd, start }: HeadLines, method: string, requestTarget: string): boolean =>
  methodEnd === method.length &&
  methodEnd > 0 &&
  start === methodEnd + requestTarget.length + requestLineExtra &&
  // Only the minor version can differ behind the target.
  text.charCodeAt(start - 3) === 0x31 &&
  text.startsWith(method) &&
  text.startsWith(requestTarget, methodEnd + 1);

/**
 * A head (RFC 9112, sections 3 and 5) without the empty line, one character per octet. The caller
 * is responsible for the framing. Throws `UnwritableHeadError`.
 * @param received source of unchanged lines; it does not affect the result
 * @param same result of `unchanged`
 */
export const requestHeadText = (
  method: string,
  requestTarget: string,
  fields: readonly string[],
  received: HeadLines | null = null,
  same = unchanged(fields, received),
): string => {
  if (received !== null && hasRequestLine(received, method, requestTarget)) {
    return withFields('', fields, received, same);
  }
  return withFields(requestLine(method, requestTarget), fields, received, same);
};

const statusLines: readonly (string | undefined)[] = Array.from({ length: 1_000 }, (_, status) =>
  status < 100 ? undefined : `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`,
);

/** A status line with its line end (RFC 9112, section 4). Throws `UnwritableHeadError`. */
export const statusLine = (status: number): string => {
  const line = statusLines[status];
  if (line === undefined) throw new UnwritableHeadError('status');
  return line;
};

/** `requestHeadText` for a response (RFC 9112, section 4). */
export const responseHeadText = (
  status: number,
  fields: readonly string[],
  received: HeadLines | null = null,
): string => withFields(statusLine(status), fields, received, unchanged(fields, received));

/**
 * The line before the octets of a chunk. Throws `UnwritableHeadError` for 0, which would end the
 * body.
 */
export const chunkStart = (octets: number): string => {
  if (!Number.isSafeInteger(octets) || octets < 1) throw new UnwritableHeadError('chunk size');
  return `${octets.toString(16)}\r\n`;
};

/** Line end behind the octets of a chunk. */
export const chunkEnd = '\r\n';

/** The last chunk and the trailer section. */
export const lastChunk = (trailers: readonly string[]): string => `0\r\n${fieldLines(trailers)}\r\n`;
