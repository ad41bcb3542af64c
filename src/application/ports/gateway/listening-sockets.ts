import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';

/**
 * The sockets that a supervisor holds for its workers, by key. It never accepts on them itself; `listenable` of each is what a link passes on as
 * an attachment.
 */
export interface SharedSockets extends ListeningSockets {
  /** Closes those of other keys here. */
  keep(keys: ReadonlySet<string>): void;
}

/** A socket that is bound. Connections that come while nobody accepts wait in the system's queue. */
export interface ListeningSocket {
  /** The address in fact, with the port that port 0 became. */
  readonly address: SocketAddress;
  /** What `listen` of node:net takes. Only engines look at it. */
  readonly listenable: object;
  /**
   * This holder needs it no more. The socket stays open while another process, or another holder of this one, has it.
   */
  close(): void;
}

/** Where the sockets come from that listeners accept on: made here, inherited, or another process's. */
export interface ListeningSockets {
  /**
   * The socket of an address; one that was inherited for it, where there is one. `key` tells sockets apart, see
   * `listenerKey`; `name` is the listener's, which a service manager may know its socket by. Rejects with the system's
   * error where the address cannot be had.
   */
  open(key: string, address: SocketAddress, name: string): Promise<ListeningSocket>;
}
