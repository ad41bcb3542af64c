import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server for the gateway to forward to. */
export interface HttpUpstream {
  readonly port: number;
  readonly server: Server;
  close(): Promise<void>;
}

export const startHttpUpstream = async (handle: RequestListener): Promise<HttpUpstream> => {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    server,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
};

/** What the echo upstream tells of a request. */
export interface Echo {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** Answers with what came. */
export const echo: RequestListener = (request: IncomingMessage, response) => {
  const pieces: Buffer[] = [];
  request.on('error', () => response.destroy());
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { method, url, rawHeaders } = request;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(pieces).toString() }));
  });
};
