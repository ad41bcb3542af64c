import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';

/**
 * The sockets that a supervisor binds for its workers, by key. The supervisor never accepts on
 * them; a link sends `listenable` as an attachment.
 */
export interface SharedSockets extends ListeningSockets {
  /** Closes the sockets of all other keys in this process. */
  keep(keys: ReadonlySet<string>): void;
}

/** A bound socket. Until a process accepts, connections wait in the system's queue. */
export interface ListeningSocket {
  /** The bound address, with the actual port if port 0 was requested. */
  readonly address: SocketAddress;
  /** An argument of `listen` in node:net, for engines only. */
  readonly listenable: object;
  /** The descriptor in this process. */
  readonly fd: number;
  /**
   * Releases the socket. It stays open while another process, or another holder in this one, uses
   * it.
   */
  close(): void;
}

/** Provides listening sockets: new, inherited, or from another process. */
export interface ListeningSockets {
  /**
   * Opens the socket of an address, preferring an inherited one. `key` identifies the socket (see
   * `listenerKey`); a service manager may know it by `name`, the listener's name. Rejects with the
   * system's error.
   */
  open(key: string, address: SocketAddress, name: string): Promise<ListeningSocket>;
}
