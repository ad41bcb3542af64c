/**
 * One side of an upgraded connection: octets both ways. Iterating gives what the peer sends, as it is asked for, and
 * throws where the connection breaks. A Node duplex stream is one as it stands.
 */
export interface Tunnel extends AsyncIterable<Uint8Array> {
  /** `done` is called when more can be taken, or with the error that ended the connection. */
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
  /** No more will be written. */
  end(): unknown;
  destroy(): unknown;
}
