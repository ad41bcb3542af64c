import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { CleanUp } from '../shared/clean-up.js';

export interface Http2Answer {
  /** 0 where none came. */
  readonly status: number;
  /** Flat, without the status; names and values as they came. */
  readonly headers: readonly string[];
  readonly trailers: readonly string[];
  readonly body: Buffer;
  /** What the stream ended with: 0 where it ended well. */
  readonly code: number;
  /** Statuses of the answers before the last. */
  readonly informational: readonly number[];
}

/** A session of Node's client; `options.ca` and such are those of TLS. */
export const http2Session = (cleanUp: CleanUp, url: string, options: object = {}): ClientHttp2Session => {
  const session = connect(url, options);
  session.on('error', () => undefined);
  // Later: a test goes on within what node:http2 calls.
  cleanUp.add(() => void setImmediate(() => session.destroy()));
  return session;
};

/** What becomes of a request. */
export const http2Answer = (stream: ClientHttp2Stream): Promise<Http2Answer> =>
  new Promise((resolve) => {
    let status = 0;
    let headers: readonly string[] = [];
    let trailers: readonly string[] = [];
    const informational: number[] = [];
    const pieces: Buffer[] = [];
    stream.on('headers', (fields) => informational.push(Number(fields[':status'])));
    stream.on('response', (fields, _flags, raw?: readonly string[]) => {
      status = Number(fields[':status']);
      headers = (raw ?? []).slice(2);
    });
    stream.on('trailers', (_fields, _flags, raw?: readonly string[]) => {
      trailers = raw ?? [];
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', () => undefined);
    stream.on('close', () =>
      resolve({
        status,
        headers,
        trailers,
        body: Buffer.concat(pieces),
        code: stream.rstCode ?? constants.NGHTTP2_NO_ERROR,
        informational,
      }),
    );
  });

/** Sends a request and gives what becomes of it. */
export const http2Call = (
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders = {},
  body: string | Uint8Array | null = null,
): Promise<Http2Answer> => {
  const stream = session.request({ ':path': '/', ...headers }, { endStream: body === null });
  if (body !== null) stream.end(body);
  return http2Answer(stream);
};
