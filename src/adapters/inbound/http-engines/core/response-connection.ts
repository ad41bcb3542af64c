import type { Socket } from 'node:net';
import type { CorkedWrites } from './corked-writes.js';

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
