import type { Http2Session } from 'node:http2';

/**
 * Ends a session and resets its streams. `error` and `code` are those of `destroy` in node:http2.
 * INVARIANT: end sessions with this function only. `destroy` inside a callback of node:http2, or
 * right behind it, frees nghttp2 memory in use, and Node 20 aborts. `close` has the same effect,
 * because node:http2 then ends the session at its own time.
 */
export const endSession = (session: Http2Session, error?: Error, code?: number): void => {
  setImmediate(() => {
    if (error === undefined) session.destroy();
    else session.destroy(error, code);
  });
};
