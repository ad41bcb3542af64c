import type { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { tlsFailureText } from '../../../tls-sockets/tls-failure.js';
import { descriptorShortage, waitText } from '../pool/target-connections.js';

const detailOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** The client shut down and closed the connection; the upstream is not at fault. */
export class ConnectionsClosedError extends Error {
  constructor() {
    super('the connections to the target are closed');
    this.name = 'ConnectionsClosedError';
  }
}

/** Failure of a connection that did not open or closed early. Null: the peer closed it normally. */
export const lossFailure = (error: Error | null): UpstreamFailure => {
  if (error === null) return { code: 'unreachable', detail: 'the upstream has closed the connection' };
  if (error instanceof ConnectionsClosedError) return { code: 'cancelled', detail: error.message };
  const shortage = descriptorShortage(error);
  if (shortage !== null) return shortage;
  // The kernel timed out before the gateway.
  const isTimeOut = (error as NodeJS.ErrnoException).code === 'ETIMEDOUT';
  return { code: isTimeOut ? 'timed_out' : 'unreachable', detail: tlsFailureText(error) ?? detailOf(error) };
};

/** Failure of a connection that did not open. */
export const connectFailure = (error: Error | null): UpstreamFailure => {
  const failure = lossFailure(error);
  const isConnections = failure.code === 'unreachable' || failure.code === 'timed_out';
  return { ...failure, isUnconnected: isConnections && (error === null || tlsFailureText(error) === null) };
};

/** The response is malformed. */
export const malformedResponse = (fault: string): UpstreamFailure => ({
  code: 'invalid_response',
  detail: `the response is malformed: ${fault}`,
});

/** The request cannot be written. */
export const refused = (error: unknown): UpstreamFailure => ({ code: 'refused_request', detail: detailOf(error) });

/** The request body failed. */
export const bodyFailure = (error: unknown): UpstreamFailure => ({ code: 'request_body', detail: detailOf(error) });

/** The upstream exceeded the read timeout. */
export const silence = (readMs: number, hasHead: boolean): UpstreamFailure => ({
  code: 'timed_out',
  detail: `${hasHead ? 'no more of the answer' : 'nothing more of the request was taken'} within ${waitText(readMs)}`,
});

/** The body error for an upstream failure. */
export const readErrorCode = ({ code }: UpstreamFailure): BodyReadError['code'] => {
  if (code === 'timed_out') return 'timed_out';
  return code === 'invalid_response' ? 'malformed' : 'aborted';
};
