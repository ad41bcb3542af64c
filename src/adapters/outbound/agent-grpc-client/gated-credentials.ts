import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { HeaderBlockGate } from '../../http2-sockets/header-block-gate.js';
import type { GrpcLibrary } from './grpc-client-options.js';
import type { SocketGate } from './socket-gate.js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** What the library uses of a socket is what every Duplex has; only its types ask for more. */
const gated = (socket: Socket, gate: SocketGate): Socket =>
  new HeaderBlockGate(socket, 'server', (code) => gate.noteGoaway(code)) as Duplex as Socket;

/**
 * Credentials of a channel whose sockets all pass `gate`. The class is exported by @grpc/grpc-js 1.14.7, but its
 * members are meant for the library itself: package.json names that version exactly, and a test fails where they are
 * not called.
 */
export const gatedCredentials = ({ ChannelCredentials, credentials }: GrpcLibrary, gate: SocketGate) => {
  class GatedCredentials extends ChannelCredentials {
    override _isSecure(): boolean {
      return gate.isSecure;
    }

    override _equals(other: ChannelCredentials): boolean {
      return this === other;
    }

    override _createSecureConnector(): SecureConnector {
      return {
        connect: async (socket: Socket) => ({ socket: gated(await gate.admit(socket), gate), secure: gate.isSecure }),
        waitForReady: () => Promise.resolve(),
        getCallCredentials: () => credentials.createEmpty(),
        destroy: () => {},
      };
    }
  }
  return new GatedCredentials();
};
