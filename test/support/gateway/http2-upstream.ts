import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { CleanUp } from '../shared/clean-up.js';

export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
) => void;

export interface Http2Upstream {
  readonly server: Http2Server;
  readonly port: number;
  /** That have come, those that have ended among them. */
  readonly sessions: ServerHttp2Session[];
  /** Streams that have come. */
  streams(): number;
}

/** An upstream that speaks HTTP/2 with prior knowledge. */
export const startHttp2Upstream = async (
  cleanUp: CleanUp,
  handle: StreamHandler,
  options: ServerOptions = {},
): Promise<Http2Upstream> => {
  const server = createServer(options);
  const sessions: ServerHttp2Session[] = [];
  let streams = 0;
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers, _flags, ...rest: unknown[]) => {
    streams += 1;
    stream.on('error', () => undefined);
    handle(stream, headers, (rest[0] ?? []) as string[]);
  });
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(async () => {
    for (const session of sessions) setImmediate(() => session.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  return { server, port: (server.address() as AddressInfo).port, sessions, streams: () => streams };
};
