import type { Socket } from 'node:net';
import type { EngineLimits, RequestHandler } from '../../../../application/ports/gateway/http-engine.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import type { Deadlines, ListenerTimers } from '../connections/deadlines.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';
import type { CorkedWrites } from './corked-writes.js';

/** What a response needs from its connection. */
export interface ResponseConnection {
  readonly socket: StreamSocket;
  readonly writes: CorkedWrites;
  /** Callback for each completed write; undefined if none is needed. */
  readonly written: (() => void) | undefined;
  /** Defers the last text of a response to the end of this turn. False: write it now. */
  writeLast(text: string): boolean;
  /** Resolves when the socket accepts more or closed. A client that reads nothing is cut off. */
  drained(): Promise<void>;
  /** Whether the connection can be reused after the response that begins now. */
  canGoOn(): boolean;
  closeAfterResponse(): void;
  /** The whole response was written to the socket. */
  responseGiven(): void;
  /** Hands the connection over to an upgrade. */
  handOver(): Socket;
}

/** Properties of the request that determine its response. */
export interface Http1ResponseContext {
  readonly minorVersion: 0 | 1;
  readonly isHead: boolean;
  readonly wantsWebSocket: boolean;
}

/**
 * State of a connection. `fresh`: no input yet. `head`: part of a head. `idle`: no input since the
 * last exchange. `exchange`: a request is served. `flushing`: the response is being written.
 * `lingering`: input is read and dropped after the response. `over`: closed. `given`: upgraded.
 */
export type ConnectionPhase = 'fresh' | 'head' | 'idle' | 'exchange' | 'flushing' | 'lingering' | 'over' | 'given';

/** What the connections of a listener share. */
export interface Http1ConnectionContext {
  /** Key of the listener. */
  readonly key: string;
  readonly handler: RequestHandler;
  readonly limits: EngineLimits;
  readonly patience: ListenerTimers;
  readonly budget: ReadAheadBudget;
  readonly deadlines: Deadlines;
  readonly writes: CorkedWrites;
}
