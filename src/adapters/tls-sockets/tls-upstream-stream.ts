import type { TLSSocket } from 'node:tls';
import type { UpstreamStream } from '../stream-sockets/upstream-stream.js';

type WriteCallback = (error?: Error | null) => void;

/** A TLS connection to an upstream. */
export type TlsUpstreamStream = TLSSocket & UpstreamStream;

/** Adds what `UpstreamStream` needs. `tls.connect` creates its own class, so the methods go on the object. */
export const tlsUpstreamStream = (socket: TLSSocket): TlsUpstreamStream => {
  const { _write: write, _writev: writev } = socket;
  let isForgiving = false;
  let writeError: Error | null = null;
  const forgive =
    (callback: WriteCallback): WriteCallback =>
    (error) => {
      if (error) writeError = error;
      callback();
    };
  socket._write = (chunk, encoding, callback) => {
    if (!isForgiving) write.call(socket, chunk, encoding, callback);
    else if (writeError !== null) callback();
    else write.call(socket, chunk, encoding, forgive(callback));
  };
  socket._writev = (chunks, callback) => {
    if (!isForgiving) writev?.call(socket, chunks, callback);
    else if (writeError !== null) callback();
    else writev?.call(socket, chunks, forgive(callback));
  };
  return Object.defineProperties(socket, {
    // A turn may deliver several TLS records one by one.
    mayHaveMore: { value: false },
    mayBeUnread: { value: false },
    hasUnreadInput: { value: false },
    writeError: { get: () => writeError },
    forgiveWrites: {
      value: () => {
        isForgiving = true;
      },
    },
    findReset: {
      value: () => {
        if (!socket.destroyed && !socket.writableEnded && socket.writableLength === 0) socket.write('');
        return socket.errored ?? writeError;
      },
    },
  }) as TlsUpstreamStream;
};
