import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';

export interface TlsCall {
  /** What came until the connection ended; empty where nothing did. */
  readonly text: string;
  readonly status: number | null;
  /** Code of the error that the client saw. */
  readonly error: string | null;
  /** Of the handshake, where it came to its end on the client's side. */
  readonly version: string | null;
  /** Whether the client got to go on with the session that it had shown. */
  readonly isResumed: boolean;
  /** Sessions that the server offered to go on with. */
  readonly sessions: readonly Buffer[];
}

const patienceMs = 25_000;

const plainRequest = 'GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';

/** Opens a TLS connection; resolves when its handshake is over. */
export const tlsConnection = ({ host, port }: SocketAddress, options: ConnectionOptions): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...options }, () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });

/** One request over a TLS connection of its own, up to its end. Never rejects for what the peer does. */
export const tlsCall = (
  { host, port }: SocketAddress,
  options: ConnectionOptions,
  request: string = plainRequest,
): Promise<TlsCall> =>
  new Promise((resolve, reject) => {
    let text = '';
    let error: string | null = null;
    let version: string | null = null;
    let isResumed = false;
    const sessions: Buffer[] = [];
    const socket = connect({ host, port, ...options }, () => {
      version = socket.getProtocol();
      isResumed = socket.isSessionReused();
      socket.write(request, 'latin1');
    });
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection was not closed; so far: ${text}`));
    }, patienceMs);
    socket.setEncoding('latin1');
    socket.on('session', (session: Buffer) => sessions.push(session));
    socket.on('data', (piece: string) => {
      text += piece;
    });
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      error ??= cause.code ?? cause.message;
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      const status = text.startsWith('HTTP/1.1 ') ? Number(text.slice(9, 12)) : null;
      resolve({ text, status, error, version, isResumed, sessions });
    });
  });

/** The body of an answer, as JSON. */
export const jsonOf = ({ text }: TlsCall): Record<string, unknown> =>
  JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;
