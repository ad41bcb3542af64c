import type { RequestHeadersEvent } from '../../agent-protocol/messages.js';
import type { AllowedOrigins } from '../../http/allowed-origins.js';
import { trimSpace } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';

/** Methods that change nothing (RFC 9110, section 9.2.1), as far as browsers send them to other sites. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Pages cannot set `Sec-` fields; every WebSocket handshake has this one (RFC 6455, section 4.1). */
export const opensWebSocket = (headers: HeaderList): boolean => allHeaders(headers, 'sec-websocket-key').length > 0;

/** The only value of a field; null: it is absent, repeated or a list. */
const onlyValue = (headers: HeaderList, lowerName: string): string | null => {
  const values = allHeaders(headers, lowerName);
  return values.length === 1 && !values[0]?.includes(',') ? trimSpace(values[0] as string) : null;
};

/**
 * The origin at which the client sent the request, as browsers write it; null: unknown. The gateway sets
 * X-Forwarded-Proto and -Host to what the client sees. Without them, the connection and Host decide.
 */
export const ownOrigin = ({ headers, metadata }: Pick<RequestHeadersEvent, 'headers' | 'metadata'>): string | null => {
  const isForwarded = (name: string) => allHeaders(headers, name).length > 0;
  const ofConnection = metadata.tlsVersion === null ? 'http' : 'https';
  const scheme = isForwarded('x-forwarded-proto') ? onlyValue(headers, 'x-forwarded-proto') : ofConnection;
  const host = onlyValue(headers, isForwarded('x-forwarded-host') ? 'x-forwarded-host' : 'host');
  if (scheme === null || host === null || host === '') return null;
  const origin = `${scheme}://${host}`.toLowerCase();
  return origin.replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
};

/**
 * Whether a page of another site may have sent this request with the cookies of its user: it can change something, and
 * its Origin (RFC 6454, section 7) is neither its own nor listed. A request without Origin is not of a browser, or has
 * a safe method.
 */
export const isCrossSiteRequest = (
  event: Pick<RequestHeadersEvent, 'method' | 'headers' | 'metadata'>,
  trusted: Pick<AllowedOrigins, 'has'>,
): boolean => {
  const { method, headers } = event;
  if (safeMethods.has(method) && !opensWebSocket(headers)) return false;
  const origins = allHeaders(headers, 'origin');
  if (origins.length === 0) return false;
  const origin = onlyValue(headers, 'origin');
  return origin === null || (origin !== ownOrigin(event) && !trusted.has(origin));
};
