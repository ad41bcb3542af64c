import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { CleanUp } from '../shared/clean-up.js';

/** A TLS server for the gateway to forward to, and what it has seen. */
export interface TlsUpstream {
  readonly port: number;
  /** Server names of the handshakes that ended; empty: none was sent. */
  readonly serverNames: string[];
  /** Whether each connection resumed a session. */
  readonly resumed: boolean[];
  /** Protocols of the connections, as ALPN selected them; `none` without ALPN. */
  readonly protocols: string[];
  /** Lets new handshakes use another certificate. */
  use(options: TlsOptions): void;
  close(): Promise<void>;
}

/** A server of HTTP/1.1 or HTTP/2, by `ALPNProtocols`. It answers with its protocol and the Host of the request. */
export const startTlsUpstream = async (cleanUp: CleanUp, options: TlsOptions): Promise<TlsUpstream> => {
  const seen = { serverNames: [] as string[], resumed: [] as boolean[], protocols: [] as string[] };
  const offersHttp2 = (options.ALPNProtocols as readonly string[] | undefined)?.includes('h2') ?? false;
  const allowHTTP1 = (options.ALPNProtocols as readonly string[] | undefined)?.includes('http/1.1') ?? true;
  const server = offersHttp2 ? createSecureServer({ ...options, allowHTTP1 }) : createHttpsServer(options);
  const open = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    seen.serverNames.push((socket as TLSSocket & { servername?: string | false }).servername || '');
    seen.resumed.push(socket.isSessionReused());
    seen.protocols.push(socket.alpnProtocol || 'none');
  });
  server.on('sessionError', () => undefined);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const host = request.headers.host ?? request.headers[':authority'] ?? '';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ version: request.httpVersion, host, url: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: TlsUpstream = {
    port: (server.address() as AddressInfo).port,
    ...seen,
    use: (changed) => server.setSecureContext(changed),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  cleanUp.add(() => upstream.close());
  return upstream;
};

/** A TLS server whose connections a test serves itself. */
export const startRawTlsUpstream = async (
  cleanUp: CleanUp,
  options: TlsOptions,
  serve: (socket: TLSSocket) => void,
  port = 0,
): Promise<number> => {
  const open = new Set<{ destroy(): unknown }>();
  const server = createServer(options, (socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  cleanUp.add(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  );
  return (server.address() as AddressInfo).port;
};
