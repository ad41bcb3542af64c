import { errors } from 'undici';
import { BodyReadError } from '../../../application/ports/body-source.js';
import type { UpstreamFailure } from '../../../application/ports/upstream-client.js';

/** What undici, the socket or the request body threw, as a failure of the port. */
export const classifyFailure = (error: unknown): UpstreamFailure => {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof BodyReadError) return { code: 'request_body', detail };
  if (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  ) {
    return { code: 'timed_out', detail };
  }
  if (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  ) {
    return { code: 'invalid_response', detail };
  }
  // ETIMEDOUT comes from the system where it gives up connecting before undici does.
  if ((error as NodeJS.ErrnoException | null)?.code === 'ETIMEDOUT') return { code: 'timed_out', detail };
  return { code: 'unreachable', detail };
};
