import type { IncomingHttpHeaders } from 'node:http2';

const grpcType = 'application/grpc';

/** Whether a request is a gRPC call (gRPC over HTTP/2, Requests). */
export const isGrpcCall = (headers: IncomingHttpHeaders): boolean => {
  const type = headers['content-type'] ?? '';
  const next = type.charAt(grpcType.length);
  const isGrpc = type.startsWith(grpcType) && (next === '' || next === '+' || next === ';');
  return isGrpc && headers[':method'] === 'POST';
};

/** Whether its messages may be compressed, which the agent never asked for. */
export const isCompressedCall = (headers: IncomingHttpHeaders): boolean =>
  (headers['grpc-encoding'] ?? 'identity') !== 'identity';
