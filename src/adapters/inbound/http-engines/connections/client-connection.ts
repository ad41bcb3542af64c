import type { Socket } from 'node:net';
import type { ClientConnection, ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import { unmappedAddress } from '../../../../domain/http/ip-address.js';
import type { ProxiedClient } from '../../../../domain/http/proxy-protocol/proxy-header.js';

/** What is known of a connection besides its two ends. */
export interface ConnectionOrigin {
  /** Null on a plain connection. */
  readonly tls: ConnectionTls | null;
  /** Whom its PROXY header names; null where it has none, or where the connection is the proxy's own. */
  readonly client: ProxiedClient | null;
  /** A PROXY header came, and names nobody. */
  readonly isUnnamed: boolean;
}

export const plainOrigin: ConnectionOrigin = { tls: null, client: null, isUnnamed: false };

/** A connection as its requests tell it. `socket`: what HTTP is spoken on. */
export const clientConnection = (
  socket: Socket,
  listener: string,
  { tls, client, isUnnamed }: ConnectionOrigin,
): ClientConnection => ({
  listener,
  peerAddress: client?.address ?? unmappedAddress(socket.remoteAddress ?? ''),
  peerPort: client?.port ?? socket.remotePort ?? 0,
  isUnnamed,
  scheme: tls === null ? 'http' : 'https',
  tls,
  known: null,
});
