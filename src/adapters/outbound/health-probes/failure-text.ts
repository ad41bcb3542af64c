import { outOfDescriptors } from '../../../application/ports/gateway/health-prober.js';

/** What the system says of a connection, in words. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ERR_HTTP2_STREAM_CANCEL: 'connection lost',
  ERR_HTTP2_STREAM_ERROR: 'connection lost',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'no connection',
  EADDRNOTAVAIL: 'no local port is free',
  EMFILE: outOfDescriptors,
  ENFILE: outOfDescriptors,
  EACCES: 'not permitted',
  EPERM: 'not permitted',
};

/** Codes begin so where Node's parsers do not take what came for HTTP/1.1, or for HTTP/2. */
const parserCode = /^(?:HPE_|ERR_HTTP2_(?:ERROR|SESSION_ERROR|TOO_MANY|HEADER|CONNECTION_FAULT))/;

/** Why a connection failed: the same words for the same cause, and nothing of what the target has sent. */
export const failureText = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === undefined) return 'failed: no cause given';
  return words[code] ?? (parserCode.test(code) ? 'malformed answer' : `failed: ${code.slice(0, 40)}`);
};

/** `what` has not come about in time. */
export const lateText = (what: string, timeoutMs: number): string => `${what} within ${timeoutMs / 1000} s`;
