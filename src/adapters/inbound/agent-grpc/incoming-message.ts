import type { ServerDuplexStream } from '@grpc/grpc-js';
import { maximumIdLength } from '../../../application/agent/serve-gateways/judgements.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ServedMethod } from '../../wire/agent-grpc/agent-service-definition.js';
import { type GrpcGatewayMessage, readGrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';
import { gatewayMessageFault } from '../../wire/agent-grpc/message-shape.js';

/** A message of a gateway, or what is wrong with it. The error quotes none of it. */
export interface IncomingMessage<Message> {
  /** Octets that it came in. */
  readonly size: number;
  readonly message: Result<Message, string>;
}

/** A call as the library gives it. Messages to the gateway are encoded before: what waits for it can be counted so. */
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
    case 'unasked_event':
    case 'cancel':
      return message.correlationId;
    default:
      return '';
  }
};

const read = (octets: Buffer, method: Method): Result<GrpcGatewayMessage, string> => {
  // A decoder makes far more memory of small fields than they came in, and shows one of two messages.
  const fault = gatewayMessageFault(octets);
  if (fault !== null) return err(`a message cannot be read: ${fault}`);
  const message = decoded(octets, method);
  if (message === null) return err('a message cannot be decoded');
  const readable = readGrpcGatewayMessage(message);
  // An id is kept for as long as its request is, and comes back with every answer.
  return readable.ok && correlationIdOf(readable.value).length > maximumIdLength
    ? err('a correlation id is too long')
    : readable;
};

/** How the library is to read the messages of a method. Never throws: the reason would not reach the log. */
export const readerOf =
  (method: Method) =>
  (octets: Buffer): IncomingMessage<GrpcGatewayMessage> => ({ size: octets.length, message: read(octets, method) });

const nothing = ok(null);

/** The same, for messages that say nothing to an agent. */
export const passOver = (octets: Buffer): IncomingMessage<null> => ({ size: octets.length, message: nothing });
