import type { ClientConnection, ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import { directClient } from '../../../../domain/http/client-address.js';
import { unmappedAddress } from '../../../../domain/http/ip-address.js';
import type { ProxiedClient } from '../../../../domain/http/proxy-protocol/proxy-header.js';

import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';

/** Facts about a connection other than its sockets. */
export interface ConnectionOrigin {
  /** Null on a plain connection. */
  readonly tls: ConnectionTls | null;
  /**
   * Client address from the PROXY header. Null without a header, or for a LOCAL header (health
   * check of the proxy).
   */
  readonly client: ProxiedClient | null;
  /** The PROXY header carries no usable address (UNKNOWN or UNSPEC). */
  readonly isUnnamed: boolean;
}

export const plainOrigin: ConnectionOrigin = { tls: null, client: null, isUnnamed: false };

/** Describes a connection to the request handler. `socket` carries HTTP. */
export const clientConnection = (
  socket: StreamSocket,
  listener: string,
  { tls, client, isUnnamed }: ConnectionOrigin,
): ClientConnection => {
  const peerAddress = client?.address ?? unmappedAddress(socket.remoteAddress ?? '');
  const peerPort = client?.port ?? socket.remotePort ?? 0;
  const scheme = tls === null ? 'http' : 'https';
  return { listener, peerAddress, peerPort, isUnnamed, scheme, tls, direct: directClient(peerAddress, peerPort) };
};
