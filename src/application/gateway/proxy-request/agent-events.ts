import type { RequestCompleteEvent, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { firstHeader, lowerNames } from '../../../domain/http/header-list.js';
import type { ExchangeView } from './exchange.js';

/** The protocol names that agents get, by HTTP version. */
const protocols: ReadonlyMap<string, string> = new Map(
  ['1.0', '1.1', '2', '2.0'].map((version) => [version, `HTTP/${version}`]),
);

type AskedExchange = ExchangeView<
  'id' | 'client' | 'forwarded' | 'request' | 'route' | 'target' | 'trace' | 'upstream'
>;

/** The event with the current head of a request. `nowMs`: wall clock. */
export const requestHeadersEvent = (exchange: AskedExchange, nowMs: number): RequestHeadersEvent => {
  const { request, client, route, upstream } = exchange;
  const { tls } = request.connection;
  return {
    kind: 'request_headers',
    correlationId: exchange.id,
    metadata: {
      correlationId: exchange.id,
      requestId: exchange.id,
      clientIp: client.address,
      clientPort: client.port,
      serverName: exchange.target.host ?? tls?.serverName ?? null,
      protocol: protocols.get(request.httpVersion) ?? `HTTP/${request.httpVersion}`,
      tlsVersion: tls?.version ?? null,
      tlsCipher: tls?.cipher ?? null,
      routeId: route?.configuration.id ?? null,
      upstreamId: upstream,
      timestampMs: nowMs,
      traceparent: exchange.trace?.traceparent ?? firstHeader(request.headers, 'traceparent') ?? null,
    },
    method: request.method,
    uri: exchange.target.query === null ? exchange.target.path : `${exchange.target.path}?${exchange.target.query}`,
    headers: lowerNames(exchange.forwarded.headers),
  };
};

/** The result of an exchange, as in the access log. */
export interface ExchangeOutcome {
  readonly status: number;
  readonly durationMs: number;
}

/** The parts of an exchange that agents learn when it ends. */
export type CountedExchange = ExchangeView<'attempts' | 'body' | 'id' | 'outcome' | 'response' | 'route' | 'upstream'>;

/** The event at the end of a request. */
export const requestCompleteEvent = (
  exchange: CountedExchange,
  { status, durationMs }: ExchangeOutcome,
): RequestCompleteEvent => ({
  kind: 'request_complete',
  correlationId: exchange.id,
  status,
  // The wire format takes whole milliseconds.
  durationMs: Math.round(durationMs),
  requestBodySize: exchange.body?.octets ?? 0,
  responseBodySize: exchange.response.bytesSent(),
  upstreamAttempts: exchange.attempts.count,
  upstream: exchange.attempts.count === 0 ? null : exchange.upstream,
  error: exchange.outcome.errorType,
});
