/** One side of an upgraded connection: octets both ways, each of which may end by itself. A Node duplex stream is one as it stands. */
export interface Tunnel {
  /**
   * What the peer sends, as it is asked for; throws where the connection breaks. With `destroyOnReturn` the connection
   * would be destroyed as soon as the peer sends no more.
   */
  iterator(options: { readonly destroyOnReturn: false }): AsyncIterable<Uint8Array>;
  /** `done` is called when more can be taken, or with the error that ended the connection. */
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
  /** No more will be written. */
  end(): unknown;
  destroy(): unknown;
  /** Both directions have ended, or it broke. */
  readonly closed: boolean;
  /** Calls back when it has closed, unless it had before. */
  once(event: 'close', listener: () => void): unknown;
}
