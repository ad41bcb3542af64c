import { errors } from 'undici';
import { BodyReadError } from '../../../../application/ports/body-source.js';
import type { UpstreamFailure } from '../../../../application/ports/upstream-client.js';
import { waitText } from '../pool/wait-text.js';

const systemCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;

/**
 * What undici, the socket or the request body threw, as a failure of the port.
 *
 * @param readMs silence of the upstream that undici bears
 */
export const classifyFailure = (error: unknown, readMs: number): UpstreamFailure => {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof BodyReadError) return { code: 'request_body', detail };
  if (
    error instanceof errors.InvalidArgumentError ||
    error instanceof errors.NotSupportedError ||
    error instanceof errors.RequestContentLengthMismatchError
  ) {
    return { code: 'refused_request', detail };
  }
  // The connections to the target are closed, which is no fault of its.
  if (error instanceof errors.ClientDestroyedError) return { code: 'cancelled', detail };
  if (error instanceof errors.ConnectTimeoutError) return { code: 'timed_out', detail };
  if (error instanceof errors.HeadersTimeoutError) {
    return { code: 'timed_out', detail: `no answer within ${waitText(readMs)}` };
  }
  if (error instanceof errors.BodyTimeoutError) {
    return { code: 'timed_out', detail: `no more of the answer within ${waitText(readMs)}` };
  }
  if (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError ||
    // undici asserts that a status is 100 at the least.
    systemCode(error) === 'ERR_ASSERTION' ||
    // undici's words for an interim response or a switch of protocols that nobody asked for.
    (error instanceof errors.SocketError && /^bad (response|upgrade)$/.test(error.message))
  ) {
    return { code: 'invalid_response', detail };
  }
  // ETIMEDOUT comes from the system where it gives up connecting before the gateway does.
  if (systemCode(error) === 'ETIMEDOUT') return { code: 'timed_out', detail };
  return { code: 'unreachable', detail };
};

/** Whether a connection ended, by its upstream's will, while a response was awaited. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof errors.SocketError || systemCode(error) === 'ECONNRESET' || systemCode(error) === 'EPIPE';
