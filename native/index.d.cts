/** Row types of `events`. Each row has 8 numbers: type, slot, generation, offset, length, value, listener, 0. */
// 1 ACCEPTED: offset and length of the peer's address (text) in the arena; value: its port; listener.
// 2 DATA: offset and length in the arena; value 1: the socket may have more.
// 3 END: the peer sends no more.
// 4 ERROR: value: errno; length 1: from writing, 0: from reading or connecting.
// 5 CONNECTED. 6 DRAINED: the native queue became empty.
// 7 ACCEPT_FAILED: slot -1; value: errno; listener.

export interface SocketLayerOptions {
  /** Where received octets go, 8 KiB or more. Views stay valid until the next call of `onEvents`. */
  readonly arena: Uint8Array;
  /** Where rows go, 8 numbers each, 8 rows or more. */
  readonly events: Int32Array;
  /** The largest native queue of one socket. */
  readonly maxQueuedOctets: number;
  /** Called once per turn, with the number of rows. `hasMore`: ready sockets were left to the next turn. */
  readonly onEvents: (count: number, hasMore: boolean) => void;
}

export interface SocketLayerStats {
  readonly sockets: number;
  readonly listeners: number;
  readonly queuedOctets: number;
}

/**
 * Methods throw TypeError or RangeError for unsound arguments, and an Error with code `ESTALE` where slot and
 * generation name no open socket, or `EBADF` after `end`.
 */
export interface SocketLayer {
  /** Listens on a copy of a bound descriptor. Returns the listener's slot. */
  listen(fd: number, backlog: number): number;
  closeListener(listener: number): void;
  /** Returns the slot. `host` is an IPv4 or IPv6 address, which may have a scope. */
  connect(host: string, port: number): number;
  connectPath(path: string): number;
  generationOf(slot: number): number;
  /** Returns the octets queued after the call, or a negative errno; -ENOBUFS: nothing was taken. */
  write(slot: number, generation: number, octets: Uint8Array, offset: number, length: number): number;
  /** Rows of 4 numbers: slot, generation, offset, length. The result of each row replaces its length. */
  writeBatch(rows: Int32Array, count: number, octets: Uint8Array): void;
  queued(slot: number, generation: number): number;
  /** Whether the kernel holds input of the socket: octets, an end or an error. */
  hasInput(slot: number, generation: number): boolean;
  pause(slot: number, generation: number): void;
  resume(slot: number, generation: number): void;
  /** Ends writing after the last queued octet. */
  shutdown(slot: number, generation: number): void;
  close(slot: number, generation: number): void;
  /** Closes with a TCP reset. */
  reset(slot: number, generation: number): void;
  /** Hands over the open descriptor. Throws `EBUSY` while octets are queued or the socket connects. */
  detach(slot: number, generation: number): number;
  bytesRead(slot: number, generation: number): number;
  bytesWritten(slot: number, generation: number): number;
  stats(): SocketLayerStats;
  ref(): void;
  unref(): void;
  /** Closes everything. */
  end(): void;
}

export function open(options: SocketLayerOptions): SocketLayer;
