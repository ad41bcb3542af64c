import { err, type Result } from '../../../domain/shared/result.js';
import type { ServedMethod } from '../../wire/agent-grpc/agent-service-definition.js';
import { type GrpcGatewayMessage, readGrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import { gatewayMessageFault } from '../../wire/agent-grpc/gateway-message-shape.js';
import type { GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';

const decoded = (octets: Uint8Array, method: ServedMethod<GrpcProxyToAgent, unknown>): GrpcProxyToAgent | null => {
  try {
    // The decoder is right about texts only where it is given a Buffer.
    return method.requestDeserialize(Buffer.from(octets.buffer, octets.byteOffset, octets.length));
  } catch {
    return null;
  }
};

/** What a gateway has sent. The error quotes none of it. */
export const decodeGatewayMessage = (
  octets: Uint8Array,
  method: ServedMethod<GrpcProxyToAgent, unknown>,
): Result<GrpcGatewayMessage, string> => {
  const fault = gatewayMessageFault(octets);
  if (fault !== null) return err(`a message cannot be read: ${fault}`);
  const message = decoded(octets, method);
  return message === null ? err('a message cannot be decoded') : readGrpcGatewayMessage(message);
};
