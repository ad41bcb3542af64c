import { Socket } from 'node:net';
import type {
  ClientBody,
  ClientConnection,
  ClientRequest,
  RejectedRequest,
} from '../../../../application/ports/gateway/http-exchange.js';
import { fieldTraits } from '../../../../domain/http/field-traits.js';
import { fieldList } from '../../../wire/http1/field-list.js';
import { FieldNames } from '../../../wire/http1/field-names.js';
import { HeadBuffer } from '../../../wire/http1/head-buffer.js';
import { faultyHead, type HeadFault, type HeadReading, incompleteHead } from '../../../wire/http1/head-fault.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-request-head.js';
import { type RequestLines, requestLines } from '../../../wire/http1/request-lines.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';
import { RequestHeadCache } from './request-head-cache.js';

const names = new FieldNames(fieldTraits);

const methods = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE'] as const;

/** The method that a head begins with: the same text, object and all, for those that are well known. */
const requestMethod = (text: string, end: number): string => {
  for (const method of methods) if (method.length === end && text.startsWith(method)) return method;
  return text.slice(0, end);
};

/** Whether a head is that of a CONNECT (RFC 9110, section 9.3.6): what comes behind it is none of HTTP's. */
export const isConnect = (text: string): boolean => text.startsWith('CONNECT ');

/** The request whose head was read last. */
export const readRequest = (
  heads: RequestHeads,
  body: ClientBody | null,
  connection: ClientConnection,
): ClientRequest => {
  const { text, known } = heads;
  const { minorVersion } = requestHead;
  const method = requestMethod(text, requestHead.methodEnd);
  const headers = known === null ? fieldList(text, requestHead, names) : known.fields;
  const lines = known ?? requestLines(text, requestHead, headers, names);
  if (known === null && lines !== null) heads.repeated.note(lines, names);
  return {
    method,
    target: text.slice(requestHead.targetStart, requestHead.targetEnd),
    httpVersion: minorVersion === 1 ? '1.1' : '1.0',
    headers,
    received: lines,
    body,
    connection,
    expectsContinue: requestHead.expectsContinue && minorVersion === 1,
    wantsWebSocket: method === 'GET' && minorVersion === 1 && requestHead.saysUpgrade && requestHead.namesWebSocket,
  };
};

/** What a client is told of a head that cannot be read. */
export const rejectionReason = (fault: HeadFault): RejectedRequest['reason'] => {
  switch (fault) {
    case 'first_line_too_long':
      return 'target_too_long';
    case 'method_too_long':
      return 'method_too_long';
    case 'head_too_large':
      return 'header_too_large';
    case 'repeated_host':
      return 'invalid_host';
    default:
      return 'malformed';
  }
};

/**
 * Gives what comes on a socket to its one reader without the detour through the stream, as far as the stream would have
 * given it to a listener of `data` at once: that costs a fifth of what Node spends on a read. While the stream is paused, or
 * holds something, it goes its usual way, to the listener. `push` is how sockets tell their stream what has come (it is
 * Readable's, and public); a socket that told it otherwise would give all to the listener.
 *
 * @param take what listens to `data`, too
 */
export const readDirectly = (socket: Socket, take: (octets: Buffer) => void): void => {
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!(chunk instanceof Buffer) || socket.readableFlowing !== true || socket.readableLength > 0) {
      return Socket.prototype.push.call(socket, chunk, encoding);
    }
    take(chunk);
    return true;
  };
};

/** The socket is a stream like any other again. */
export const readAsStream = (socket: Socket): void => {
  socket.push = Socket.prototype.push;
};

const carriageReturn = 0x0d;
/** Octets of a head that is not unusual: more is held only as long as all connections together hold little. */
const usualOctets = 16_384;

/** The heads of the requests of a connection, out of the octets that come. */
export class RequestHeads {
  /** The head that was read last, from its first octet on, one character for each; of one whose fields are known, the request line. */
  text = '';
  /** Its field lines, where they came before. */
  known: RequestLines | null = null;
  readonly repeated = new RequestHeadCache();
  /** What came behind it; null: nothing. */
  rest: Buffer | null = null;
  readonly #maxOctets: number;
  /** The beginning of a head whose rest has not come; null in most cases: heads come whole. */
  #held: HeadBuffer | null = null;
  readonly #budget: ReadAheadBudget;
  /** What is held has taken of the budget. */
  #charged = 0;

  constructor(maxOctets: number, budget: ReadAheadBudget) {
    this.#maxOctets = maxOctets;
    this.#budget = budget;
  }

  /** Something of a head has come, and not all of it. Empty lines before it are none of it (RFC 9112, section 2.2). */
  get hasBegun(): boolean {
    const held = this.#held;
    return held !== null && held.length > 0 && held.octets[0] !== carriageReturn;
  }

  /** Nothing is read any more. */
  end(): void {
    this.#held = null;
    this.#charge(0);
  }

  /** What was read last is of no use any more. */
  forget(): void {
    this.text = '';
    this.known = null;
    this.rest = null;
  }

  /** Reads on; what is behind a head is left to be given again. With a reading above 0, `requestHead` is of this head. */
  read(octets: Buffer): HeadReading {
    if (this.#held !== null) return this.#readOn(this.#held, octets);
    const known = this.repeated.recall(octets, this.#maxOctets);
    if (known !== null) {
      this.text = octets.toString('latin1', 0, octets.length - known.text.length);
      this.known = known;
      return octets.length;
    }
    const reading = readRequestHead(octets, 0, octets.length, this.#maxOctets);
    const start = requestHead.emptyOctets;
    if (reading > 0) {
      this.text = octets.toString('latin1', start, reading);
      this.rest = reading === octets.length ? null : octets.subarray(reading);
    } else if (reading === incompleteHead && start < octets.length) {
      const held = new HeadBuffer();
      held.add(octets, start, octets.length);
      held.noteRead();
      this.#held = held;
      return this.#hold(held);
    }
    return reading;
  }

  /** Refuses what is too much for all connections together. */
  #hold(held: HeadBuffer): HeadReading {
    this.#charge(held.room - usualOctets);
    if (held.length <= usualOctets || this.#budget.leftForHeads >= 0) return incompleteHead;
    this.end();
    return faultyHead('head_too_large');
  }

  #charge(octets: number): void {
    const charged = Math.max(0, octets);
    this.#budget.leftForHeads -= charged - this.#charged;
    this.#charged = charged;
  }

  #readOn(held: HeadBuffer, octets: Buffer): HeadReading {
    held.add(octets, 0, octets.length);
    if (!held.isDue && held.length < this.#maxOctets) return this.#hold(held);
    const reading = readRequestHead(held.octets, 0, held.length, this.#maxOctets);
    if (reading === incompleteHead) {
      return this.#keep(held, requestHead.emptyOctets);
    }
    this.end();
    if (reading > 0) {
      const all = Buffer.from(held.octets.buffer, held.octets.byteOffset, held.length);
      this.text = all.toString('latin1', requestHead.emptyOctets, reading);
      this.rest = reading === all.length ? null : all.subarray(reading);
    }
    return reading;
  }

  /** Lets go of empty lines: however many come, nothing grows. */
  #keep(held: HeadBuffer, emptyOctets: number): HeadReading {
    if (emptyOctets === held.length) {
      this.end();
      return incompleteHead;
    }
    held.drop(emptyOctets);
    held.noteRead();
    return this.#hold(held);
  }
}
