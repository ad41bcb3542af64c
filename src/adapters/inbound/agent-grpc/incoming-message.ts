import type { ServerDuplexStream } from '@grpc/grpc-js';
import { maximumIdLength } from '../../../application/agent/serve-gateways/pending-events.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ServedMethod } from '../../wire/agent-grpc/agent-service-definition.js';
import { type GrpcGatewayMessage, readGrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';
import { gatewayMessageFault } from '../../wire/agent-grpc/message-shape.js';

/** A received message, or the reason why it is invalid. The reason does not quote it. */
export interface IncomingMessage<Message> {
  /** Encoded octets. */
  readonly size: number;
  readonly message: Result<Message, string>;
}

/**
 * A call of the library. Messages to the gateway are encoded before, so that pending octets can be
 * counted.
 */
export type LibraryCall<Message> = ServerDuplexStream<IncomingMessage<Message>, Buffer>;

type Method = ServedMethod<GrpcProxyToAgent, unknown>;

const decoded = (octets: Buffer, method: Method): GrpcProxyToAgent | null => {
  try {
    return method.requestDeserialize(octets);
  } catch {
    return null;
  }
};

const correlationIdOf = (message: GrpcGatewayMessage): string => {
  switch (message.kind) {
    case 'event':
      return message.event.correlationId;
    case 'unsupported_event':
    case 'cancel':
      return message.correlationId;
    default:
      return '';
  }
};

const read = (octets: Buffer, method: Method): Result<GrpcGatewayMessage, string> => {
  // Checks the shape first: decoding many small fields needs much more memory than their octets,
  // and a decoder drops one of two messages in a `oneof`.
  const fault = gatewayMessageFault(octets);
  if (fault !== null) return err(`a message is malformed: ${fault}`);
  const message = decoded(octets, method);
  if (message === null) return err('a message cannot be decoded');
  const readable = readGrpcGatewayMessage(message);
  // The id is kept during the request and returned with every answer.
  return readable.ok && correlationIdOf(readable.value).length > maximumIdLength
    ? err('a correlation id is too long')
    : readable;
};

/** A deserializer for the library. Never throws: the library would not log the reason. */
export const readerOf =
  (method: Method) =>
  (octets: Buffer): IncomingMessage<GrpcGatewayMessage> => ({ size: octets.length, message: read(octets, method) });

const ignored = ok(null);

/** A deserializer for messages that the agent ignores. */
export const skipMessage = (octets: Buffer): IncomingMessage<null> => ({ size: octets.length, message: ignored });
