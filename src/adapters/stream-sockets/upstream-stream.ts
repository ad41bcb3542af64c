import type { StreamSocket } from './stream-socket.js';

/** Input of an upstream connection, valid during the call. False: pause until `resume`. */
export type TakeUpstreamInput = (octets: Buffer, end: number) => boolean;

/** A connection to an upstream that can ignore write errors. */
export interface UpstreamStream extends StreamSocket {
  /**
   * The last read may have left octets in the kernel, and it is not known when the next one comes; false where every
   * turn reads each socket until it is empty.
   */
  readonly mayHaveMore: boolean;
  /** The last turn left ready sockets unread, perhaps this one. False on sockets of Node. */
  readonly mayBeUnread: boolean;
  /** The kernel holds input, an end or an error; a system call. False on sockets of Node. */
  readonly hasUnreadInput: boolean;
  /** Octets that were received but not delivered. */
  readonly readableLength: number;
  /** `write` returned false, and `drain` follows. */
  readonly writableNeedDrain: boolean;
  /** The ignored write error: the peer stopped reading. */
  readonly writeError: Error | null;
  /**
   * Ignores later write errors. An upstream may respond early and stop reading; closing here would
   * lose its response. Later reads report the end or the reset.
   */
  forgiveWrites(): void;
  /** A reset that reading did not report; call it at the end of input. */
  findReset(): Error | null;
}
