import type { ClientHttp2Session } from 'node:http2';
import type { ChannelInterface } from '@grpc/grpc-js';

/** Where @grpc/grpc-js 1.14.7 keeps the HTTP/2 sessions of a channel that shares them with none. */
interface ChannelParts {
  readonly internalChannel?: {
    readonly subchannelPool?: {
      readonly pool?: Readonly<Record<string, readonly { readonly subchannel?: SubchannelParts }[]>>;
    };
  };
}

interface SubchannelParts {
  readonly transport?: { readonly session?: ClientHttp2Session } | null;
}

/**
 * Has every stream that an agent opens by itself (server push, RFC 9113 section 8.4) told and closed. The library
 * leaves push enabled and takes no notice of such streams, so that Node throws the error of one at nobody and ends the
 * process. It has no option and no event for that: this reaches into it. package.json names its version exactly, and a
 * test fails where the session is not found any more.
 *
 * @param channel connected
 * @returns false where there is no session that can be watched: the channel must not be used
 */
export const refusePushes = (channel: ChannelInterface, onPush: () => void): boolean => {
  const { pool } = (channel as ChannelParts).internalChannel?.subchannelPool ?? {};
  let isFound = false;
  for (const { subchannel } of Object.values(pool ?? {}).flat()) {
    const session = subchannel?.transport?.session;
    if (session === undefined) continue;
    isFound = true;
    session.on('stream', (stream) => {
      stream.on('error', () => {});
      stream.close();
      onPush();
    });
  }
  return isFound;
};
