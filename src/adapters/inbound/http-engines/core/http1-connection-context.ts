import type { Socket } from 'node:net';
import type { EngineLimits, RequestHandler } from '../../../../application/ports/gateway/http-engine.js';
import type { ListenerTimers } from '../connections/listener-timers.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';
import type { CorkedWrites } from './corked-writes.js';
import type { Deadlines } from './deadlines.js';

/** What a response needs of the connection that it goes out by. */
export interface ResponseConnection {
  readonly socket: Socket;
  readonly writes: CorkedWrites;
  /** To be told of each write that is over; undefined: need not be told. */
  readonly written: (() => void) | undefined;
  /** Takes the last text of a response to be written at the end of this turn; false: it is to be written now. */
  writeLast(text: string): boolean;
  /** Resolves when the socket takes more, or has ended: a client that takes nothing for too long is cut off. */
  drained(): Promise<void>;
  /** Whether another request can be answered behind this response, which begins now. */
  canGoOn(): boolean;
  closeAfterResponse(): void;
  /** All of the response was given to the socket. */
  responseGiven(): void;
  /** Leaves HTTP. */
  handOver(): void;
}

/** What of a request counts for the response to it. */
export interface Http1ResponseContext {
  readonly minorVersion: 0 | 1;
  readonly isHead: boolean;
  readonly wantsWebSocket: boolean;
}

/**
 * What a connection is at: `fresh`: nothing has come; `head`: some of a head; `idle`: nothing since the last exchange;
 * `exchange`: a request is being answered; `flushing`: the answer is on its way to the system; `lingering`: it is there, and
 * the rest of the request is read and dropped; behind the last response, all that comes; `over`: it has ended; `given`: the
 * connection has left HTTP.
 */
export type ConnectionPhase = 'fresh' | 'head' | 'idle' | 'exchange' | 'flushing' | 'lingering' | 'over' | 'given';

/** What the connections of a listener share. */
export interface ConnectionSurroundings {
  /** Of the listener. */
  readonly key: string;
  readonly handler: RequestHandler;
  readonly limits: EngineLimits;
  readonly patience: ListenerTimers;
  readonly budget: ReadAheadBudget;
  readonly deadlines: Deadlines;
  readonly writes: CorkedWrites;
}
