import { grpcCodeOf, grpcErrorHeaders, isGrpcCall } from '../../../domain/http/grpc-error.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { Exchange } from './exchange.js';

/** An error for the client of an exchange, whose status is `Exchange.status`. */
export interface ClientError {
  readonly headers: HeaderList;
  readonly body: string | null;
  /** What is wrong, for a client that gets no body. */
  readonly message: string;
  /** The connection ends behind it. */
  readonly close: boolean;
}

/** Sends an error in the form that its client reads: a gRPC call gets its status and message in the head of a 200 answer. */
export const sendError = (exchange: Exchange, { headers, body, message, close }: ClientError): void => {
  const { request, response, status } = exchange;
  if (!isGrpcCall(request.headers)) {
    response.send(status, headers, body, close);
    return;
  }
  exchange.grpcStatus = grpcCodeOf(status);
  response.send(200, grpcErrorHeaders(status, message, headers), null, close);
};
