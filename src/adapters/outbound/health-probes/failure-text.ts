import { outOfDescriptors } from '../../../application/ports/gateway/health-prober.js';
import { tlsFailureText } from '../../tls-sockets/tls-failure.js';

/** Texts for system error codes. */
const texts: Readonly<Record<string, string>> = {
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

/** Codes of Node's parsers for malformed HTTP/1.1 or HTTP/2. */
const parserCode = /^(?:HPE_|ERR_HTTP2_(?:ERROR|SESSION_ERROR|TOO_MANY|HEADER|CONNECTION_FAULT))/;

/** The cause of a failed connection, one text per cause. Of the text, the target controls only certificate names. */
export const failureText = (error: unknown): string => {
  const tlsText = error instanceof Error ? tlsFailureText(error) : null;
  if (tlsText !== null) return tlsText.slice(0, 200);
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === undefined) return 'failed: no cause given';
  return texts[code] ?? (parserCode.test(code) ? 'malformed answer' : `failed: ${code.slice(0, 40)}`);
};

/** The text of a check that exceeds its timeout: `what` names the missing event. */
export const lateText = (what: string, timeoutMs: number): string => `${what} within ${timeoutMs / 1000} s`;
