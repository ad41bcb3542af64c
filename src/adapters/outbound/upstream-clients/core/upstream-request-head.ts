import type { TargetClientOptions, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { fieldTrait, withoutHopByHop } from '../../../../domain/http/field-traits.js';
import { firstHeader, type HeaderList } from '../../../../domain/http/header-list.js';
import { RequestLines, unchanged } from '../../../wire/http1/head-lines.js';
import { requestHeadText } from '../../../wire/http1/head-text.js';
import { lengthValue } from '../../../wire/http1/message-head.js';

/** Whether a lenient parser would take framing from a trailer field. */
export const frames = (trailers: HeaderList): boolean =>
  withoutHopByHop(trailers) !== trailers || firstHeader(trailers, 'content-length') !== undefined;

/** The request cannot be sent safely: an upstream could misread it. */
export class RefusedRequestError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RefusedRequestError';
  }
}

/** The body length differs from Content-Length. */
export class BodyLengthError extends RefusedRequestError {
  constructor() {
    super('the body is not as long as the Content-Length says');
  }
}

/** Placeholder length: no body. */
export const noBody = -2;
/** Placeholder length: the body is chunked. */
export const unknownLength = -1;

/** Methods that expect content: an empty body needs Content-Length 0 (RFC 9110, section 8.6). */
const methodsWithContent: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH']);

const lengthOf = (value: string): number => {
  const length = lengthValue(value);
  if (length < 0) throw new RefusedRequestError('the Content-Length is not a number');
  return length;
};

/** Fields of one hop, which this client writes itself. */
const isOfConnection = (name: string): boolean => {
  const lower = name.toLowerCase();
  return (
    lower === 'connection' ||
    lower === 'transfer-encoding' ||
    lower === 'upgrade' ||
    lower === 'expect' ||
    lower === 'keep-alive'
  );
};

/** Result of the last field scan. */
const found = { hasHost: false, hasTe: false, lengthAt: -1 };

/** A head with such a field is scanned from its start. */
const ofConnection =
  fieldTrait.hopByHop | fieldTrait.te | fieldTrait.connection | fieldTrait.transferEncoding | fieldTrait.expect;

/**
 * Scans all fields except the leading unchanged ones, which are known from the received head.
 * @param same number of unchanged list entries
 */
const look = (headers: readonly string[], received: RequestLines | null, same: number): void => {
  const isKnown = received !== null && (received.traits & ofConnection) === 0;
  const from = isKnown ? same : 0;
  found.hasHost = isKnown && isWithin(received.hostAt, from);
  found.hasTe = false;
  found.lengthAt = isKnown && isWithin(received.lengthAt, from) ? received.lengthAt : -1;
  for (let at = from; at < headers.length; at += 2) {
    const name = headers[at] as string;
    switch (name.length) {
      case 2:
        if (name.toLowerCase() === 'te') found.hasTe = true;
        break;
      case 4:
        if (name.toLowerCase() !== 'host') break;
        if (found.hasHost) throw new RefusedRequestError('there are several Hosts');
        found.hasHost = true;
        break;
      case 14:
        if (name.toLowerCase() !== 'content-length') break;
        if (found.lengthAt >= 0) throw new RefusedRequestError('there are several Content-Lengths');
        found.lengthAt = at;
        break;
      case 6:
      case 7:
      case 10:
      case 17:
        if (isOfConnection(name)) throw new RefusedRequestError(`the field ${name} is not the client's`);
    }
  }
};

const isWithin = (at: number, end: number): boolean => at >= 0 && at < end;

const linesOf = ({ received }: UpstreamRequest): RequestLines | null =>
  received instanceof RequestLines ? received : null;

/** The Host that a target gets. */
export type HostOfTarget = Pick<TargetClientOptions, 'authority' | 'replacesHost'>;

const withoutHost = (fields: HeaderList): HeaderList => {
  const at = fields.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return fields.toSpliced(at, 2);
};

/** Declared length of a streamed body, or `unknownLength`. */
export const lengthInPieces = (request: UpstreamRequest): number => {
  const { headers, body } = request;
  const lines = linesOf(request);
  look(headers, lines, unchanged(headers, lines));
  if (found.lengthAt >= 0) return lengthOf(headers[found.lengthAt + 1] as string);
  return body?.declaredLength ?? unknownLength;
};

/**
 * The complete request head for the upstream, one character per octet. All fields are validated,
 * and this client controls the framing. Throws `RefusedRequestError` or `UnwritableHeadError`.
 * @param bodyOctets length, `noBody` or `unknownLength`
 */
export const upstreamRequestHead = (request: UpstreamRequest, host: HostOfTarget, bodyOctets: number): string => {
  const { method, target, headers } = request;
  if (target.charCodeAt(0) !== 0x2f) throw new RefusedRequestError('the request-target is no path');
  const lines = linesOf(request);
  const same = unchanged(headers, lines);
  look(headers, lines, same);
  const { hasTe, lengthAt } = found;
  let { hasHost } = found;
  const length = lengthText(method, bodyOctets);
  let fields = headers;
  let hasLength = false;
  if (lengthAt >= 0) {
    const declared = headers[lengthAt + 1] as string;
    if (lengthOf(declared) !== bodyOctets && bodyOctets >= 0) throw new BodyLengthError();
    hasLength = declared === length;
    if (!hasLength) fields = headers.toSpliced(lengthAt, 2);
  }
  if (hasHost && host.replacesHost) {
    fields = withoutHost(fields);
    hasHost = false;
  }
  const text =
    hasHost && fields === headers
      ? requestHeadText(method, target, fields, lines, same)
      : requestHeadText(method, target, hasHost ? fields : ['Host', host.authority, ...fields], lines);
  if (request.upgradeToWebSocket) {
    return `${text}Connection: Upgrade${hasTe ? ', TE' : ''}\r\nUpgrade: websocket\r\n\r\n`;
  }
  // TE is hop-by-hop; Connection must list it (RFC 9110, section 10.1.4).
  const head = hasTe ? `${text}Connection: TE\r\n` : text;
  if (bodyOctets === unknownLength) return `${head}Transfer-Encoding: chunked\r\n\r\n`;
  return hasLength || length === '' ? `${head}\r\n` : `${head}Content-Length: ${length}\r\n\r\n`;
};

/**
 * The Content-Length of the request; empty for none. An empty body needs one only if the method
 * expects content.
 */
const lengthText = (method: string, bodyOctets: number): string => {
  if (bodyOctets > 0) return String(bodyOctets);
  return bodyOctets !== unknownLength && methodsWithContent.has(method) ? '0' : '';
};
