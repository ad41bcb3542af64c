import type { Http2Session } from 'node:http2';

/**
 * Ends a session and cuts off its streams; `error` and `code`: as `destroy` of node:http2 has them.
 *
 * INVARIANT: sessions are ended by this alone. `destroy` within anything that node:http2 calls, or within what runs right
 * behind that, frees memory of nghttp2 that is still in use: Node 20 aborts. `close` does the same whenever it is called, as
 * it has node:http2 end the session at a time of its own.
 */
export const endSession = (session: Http2Session, error?: Error, code?: number): void => {
  setImmediate(() => {
    if (error === undefined) session.destroy();
    else session.destroy(error, code);
  });
};
