import type { Socket } from 'node:net';
import type { ClientConnection } from '../../../../application/ports/gateway/http-exchange.js';
import { unmappedAddress } from '../../../../domain/http/unmapped-address.js';
import type { ConnectionOrigin } from './connection-origin.js';

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
