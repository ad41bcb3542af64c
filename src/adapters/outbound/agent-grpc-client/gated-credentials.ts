import type { Socket } from 'node:net';
import type { ChannelCredentials } from '@grpc/grpc-js';
import type { GrpcLibrary } from './grpc-client-options.js';
import type { SocketGate } from './socket-gate.js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

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
        connect: async (socket: Socket) => ({ socket: await gate.admit(socket), secure: gate.isSecure }),
        waitForReady: () => Promise.resolve(),
        getCallCredentials: () => credentials.createEmpty(),
        destroy: () => {},
      };
    }
  }
  return new GatedCredentials();
};
