import type { ChannelInterface, Metadata, StatusObject } from '@grpc/grpc-js';

/** What is done with what goes and comes on one call: `Filter` of @grpc/grpc-js. */
interface CallFilter {
  sendMetadata(metadata: Promise<Metadata>): Promise<Metadata>;
  receiveMetadata(metadata: Metadata): Metadata;
  sendMessage<Message>(message: Promise<Message>): Promise<Message>;
  receiveMessage(message: Promise<Buffer>): Promise<Buffer>;
  receiveTrailers(status: StatusObject): StatusObject;
}

/**
 * Where @grpc/grpc-js 1.14.7 keeps what makes the filters of each call. The last of them is the one next to the wire.
 */
interface ChannelParts {
  readonly internalChannel?: {
    readonly filterStackFactory?: { readonly factories?: { push(factory: { createFilter(): CallFilter }): unknown } };
  };
}

const plain = 'identity';
/** INTERNAL: what gRPC has a client say of a message that is compressed against what was agreed on. */
const statusOfCompressed = 13;
const compressed = 'a compressed message';

/**
 * Has a channel ask its agent for messages that are not compressed, and refuse the others before they are inflated. The
 * library always offers to inflate, and has no option and no event for that: this reaches into it. package.json names
 * its version exactly, and a test fails where the place is not found any more.
 *
 * @param channel on which no call has been made yet
 * @param onCompressed the agent says that it compresses, or does. What it sent on that call must be taken for nothing.
 * @returns false where it cannot be done: the channel must not be used
 */
export const refuseCompression = (channel: ChannelInterface, onCompressed: () => void): boolean => {
  const factories = (channel as ChannelParts).internalChannel?.filterStackFactory?.factories;
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
      // How the library is told that the call has failed.
      throw Object.assign(new Error(compressed), { code: statusOfCompressed, details: compressed });
    },
    receiveTrailers: (status) => status,
  };
  factories.push({ createFilter: () => filter });
  return true;
};
