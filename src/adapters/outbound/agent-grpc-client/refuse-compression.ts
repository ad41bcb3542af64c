import type { ChannelInterface, Metadata, StatusObject } from '@grpc/grpc-js';

/** A filter for the messages of one call: `Filter` of @grpc/grpc-js. */
interface CallFilter {
  sendMetadata(metadata: Promise<Metadata>): Promise<Metadata>;
  receiveMetadata(metadata: Metadata): Metadata;
  sendMessage<Message>(message: Promise<Message>): Promise<Message>;
  receiveMessage(message: Promise<Buffer>): Promise<Buffer>;
  receiveTrailers(status: StatusObject): StatusObject;
}

/** Internals of @grpc/grpc-js 1.14.7: the filter factories. The last filter is next to the wire. */
interface ChannelInternals {
  readonly internalChannel?: {
    readonly filterStackFactory?: { readonly factories?: { push(factory: { createFilter(): CallFilter }): unknown } };
  };
}

const plain = 'identity';
/** INTERNAL: the status that gRPC prescribes for an unexpected compressed message. */
const statusOfCompressed = 13;
const compressed = 'a compressed message';

/**
 * Makes a channel request uncompressed messages, and reject compressed ones before they are
 * inflated. The library always offers compression and has no option or event for this. package.json
 * pins its version, and a test fails if the internals are not found.
 *
 * @param channel has made no call yet
 * @param onCompressed called when the agent announces or uses compression; discard its answer
 * @returns false if it failed: do not use the channel
 */
export const refuseCompression = (channel: ChannelInterface, onCompressed: () => void): boolean => {
  const factories = (channel as ChannelInternals).internalChannel?.filterStackFactory?.factories;
  if (!Array.isArray(factories)) return false;
  const filter: CallFilter = {
    sendMetadata: async (metadata) => {
      const fields = await metadata;
      fields.set('grpc-accept-encoding', plain);
      return fields;
    },
    receiveMetadata: (metadata) => {
      if (metadata.get('grpc-encoding').some((encoding) => encoding !== plain)) onCompressed();
      return metadata;
    },
    sendMessage: (message) => message,
    receiveMessage: async (message) => {
      const framed = await message;
      if (framed[0] === 0) return framed;
      onCompressed();
      // The library reads the status from the rejection.
      throw Object.assign(new Error(compressed), { code: statusOfCompressed, details: compressed });
    },
    receiveTrailers: (status) => status,
  };
  factories.push({ createFilter: () => filter });
  return true;
};
