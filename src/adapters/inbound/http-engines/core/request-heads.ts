import type {
  ClientBody,
  ClientConnection,
  ClientRequest,
  RejectedRequest,
} from '../../../../application/ports/gateway/http-exchange.js';
import { fieldTraits } from '../../../../domain/http/field-traits.js';
import {
  cancelReading,
  continueReading,
  type DeferredReader,
  deferRead,
} from '../../../event-loop-batching/event-loop-turn.js';
import { HeadBuffer } from '../../../wire/http1/head-buffer.js';
import { faultyHead, type HeadFault, type HeadReading, incompleteHead } from '../../../wire/http1/head-fault.js';
import { requestLines } from '../../../wire/http1/head-lines.js';
import { FieldNames, fieldList } from '../../../wire/http1/message-head.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-head.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';

const names = new FieldNames(fieldTraits);

const methods = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE'] as const;

/** The method of a head; well-known methods are the same string object. */
const requestMethod = (text: string, end: number): string => {
  for (const method of methods) if (method.length === end && text.startsWith(method)) return method;
  return text.slice(0, end);
};

/** Whether a head is a CONNECT request (RFC 9110, section 9.3.6), which tunnel data follows. */
export const isConnect = (text: string): boolean => text.startsWith('CONNECT ');

/** Builds the request of the last parsed head. */
export const readRequest = (
  heads: RequestHeads,
  body: ClientBody | null,
  connection: ClientConnection,
): ClientRequest => {
  const { text } = heads;
  const { minorVersion } = requestHead;
  const method = requestMethod(text, requestHead.methodEnd);
  const headers = fieldList(text, requestHead, names);
  return {
    method,
    target: text.slice(requestHead.targetStart, requestHead.targetEnd),
    httpVersion: minorVersion === 1 ? '1.1' : '1.0',
    headers,
    received: requestLines(text, requestHead, headers, names),
    body,
    connection,
    expectsContinue: requestHead.expectsContinue && minorVersion === 1,
    wantsWebSocket: method === 'GET' && minorVersion === 1 && requestHead.saysUpgrade && requestHead.namesWebSocket,
  };
};

/** Rejection reason for an unreadable head. */
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

const carriageReturn = 0x0d;
/** Usual head size in octets; larger incomplete heads use the shared budget. */
const usualOctets = 16_384;

/** Collects input of a connection into request heads. */
export class RequestHeads {
  /** The last head, one character per octet. */
  text = '';
  /** Input after the head, or null. */
  rest: Buffer | null = null;
  readonly #maxOctets: number;
  /** An incomplete head; mostly null, since heads arrive whole. */
  #held: HeadBuffer | null = null;
  readonly #budget: ReadAheadBudget;
  /** Octets charged to the budget. */
  #charged = 0;

  constructor(maxOctets: number, budget: ReadAheadBudget) {
    this.#maxOctets = maxOctets;
    this.#budget = budget;
  }

  /** A partial head arrived. Leading empty lines do not count (RFC 9112, section 2.2). */
  get hasBegun(): boolean {
    const held = this.#held;
    return held !== null && held.length > 0 && held.octets[0] !== carriageReturn;
  }

  /** Stops reading. */
  end(): void {
    this.#held = null;
    this.#charge(0);
  }

  /** Drops the last head. */
  forget(): void {
    this.text = '';
    this.rest = null;
  }

  /**
   * Parses on; input after a head must be passed again. A result above 0 means that `requestHead`
   * describes it.
   */
  read(octets: Buffer): HeadReading {
    if (this.#held !== null) return this.#readOn(this.#held, octets);
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

  /** Refuses a head that exceeds the shared budget. */
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

  /** Drops leading empty lines, so that memory does not grow. */
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

/** Pipelined requests started per turn; other connections run before the next ones. */
const mostAtATime = 16;

/**
 * Schedules input of a connection that awaits a request: at the end of the turn, or over several
 * turns if it is much.
 */
export class RequestTurns implements DeferredReader {
  readonly #handle: (octets: Buffer) => void;
  readonly #end: () => void;
  #octets: Buffer | null = null;
  /** Requests started in this turn. */
  #begun = 0;
  /** The client half-closed behind the queued input. */
  #isEndAhead = false;

  /** @param end called when the client half-closed and all input is handled */
  constructor(handle: (octets: Buffer) => void, end: () => void) {
    this.#handle = handle;
    this.#end = end;
  }

  /** Queued input precedes new input. */
  get isWaiting(): boolean {
    return this.#octets !== null;
  }

  /** INVARIANT: the queue is empty. */
  wait(octets: Buffer): void {
    this.#octets = octets;
    deferRead(this);
  }

  noteBegun(): void {
    this.#begun += 1;
  }

  /** Returns input to handle now; otherwise queues it behind other connections. */
  take(octets: Buffer | null): Buffer | null {
    if (octets === null || this.#begun < mostAtATime) return octets;
    this.#octets = octets;
    continueReading(this);
    return null;
  }

  /** The client half-closed. False if input is queued; `end` follows after it. */
  mayEnd(): boolean {
    this.#isEndAhead = this.isWaiting;
    return !this.#isEndAhead;
  }

  /** The connection closed. */
  drop(): void {
    if (this.isWaiting) cancelReading(this);
    this.#octets = null;
    this.#isEndAhead = false;
  }

  handleNow(): void {
    const octets = this.#octets;
    if (octets === null) return;
    this.#octets = null;
    this.#begun = 0;
    this.#handle(octets);
    if (this.#isEndAhead && !this.isWaiting) this.#end();
  }
}
