import type {
  RequestBodyChunkEvent,
  RequestCompleteEvent,
  RequestHeadersEvent,
  RequestMetadata,
  ResponseBodyChunkEvent,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { MalformedMessage } from '../agent-frames/malformed-message.js';
import { correlationIdOf, countOf, headersOf, optionalCountOf, optionalTextOf, textOf } from './event-fields.js';
import type {
  GrpcBodyChunkEvent,
  GrpcRequestCompleteEvent,
  GrpcRequestHeadersEvent,
  GrpcRequestMetadata,
  GrpcResponseHeadersEvent,
} from './grpc-messages.js';

const noOctets = new Uint8Array(0);

const readMetadata = (metadata: GrpcRequestMetadata, correlationId: string): RequestMetadata => ({
  correlationId,
  requestId: textOf(metadata.request_id, 'request_id'),
  clientIp: textOf(metadata.client_ip, 'client_ip'),
  clientPort: countOf(metadata.client_port, 'client_port'),
  serverName: optionalTextOf(metadata.server_name, 'server_name'),
  protocol: textOf(metadata.protocol, 'protocol'),
  tlsVersion: optionalTextOf(metadata.tls_version, 'tls_version'),
  // This transport has no place for it.
  tlsCipher: null,
  routeId: optionalTextOf(metadata.route_id, 'route_id'),
  upstreamId: optionalTextOf(metadata.upstream_id, 'upstream_id'),
  timestampMs: countOf(metadata.timestamp_ms, 'timestamp_ms'),
  traceparent: optionalTextOf(metadata.traceparent, 'traceparent'),
});

export const readRequestHeaders = (event: GrpcRequestHeadersEvent): RequestHeadersEvent => {
  const { metadata } = event;
  if (!metadata) throw new MalformedMessage('it has no metadata');
  const correlationId = correlationIdOf(metadata.correlation_id);
  return {
    kind: 'request_headers',
    correlationId,
    metadata: readMetadata(metadata, correlationId),
    method: textOf(event.method, 'method'),
    uri: textOf(event.uri, 'uri'),
    headers: headersOf(event.headers),
  };
};

/** What both kinds of chunk have. */
const readChunk = (event: GrpcBodyChunkEvent) => ({
  correlationId: correlationIdOf(event.correlation_id),
  data: event.data ?? noOctets,
  isLast: event.is_last ?? false,
  totalSize: optionalCountOf(event.total_size, 'total_size'),
  chunkIndex: countOf(event.chunk_index, 'chunk_index'),
});

export const readRequestBodyChunk = (event: GrpcBodyChunkEvent): RequestBodyChunkEvent => ({
  kind: 'request_body_chunk',
  ...readChunk(event),
  bytesReceived: countOf(event.bytes_transferred, 'bytes_transferred'),
});

export const readResponseBodyChunk = (event: GrpcBodyChunkEvent): ResponseBodyChunkEvent => ({
  kind: 'response_body_chunk',
  ...readChunk(event),
  bytesSent: countOf(event.bytes_transferred, 'bytes_transferred'),
});

export const readResponseHeaders = (event: GrpcResponseHeadersEvent): ResponseHeadersEvent => ({
  kind: 'response_headers',
  correlationId: correlationIdOf(event.correlation_id),
  status: countOf(event.status_code, 'status_code'),
  headers: headersOf(event.headers),
});

export const readRequestComplete = (event: GrpcRequestCompleteEvent): RequestCompleteEvent => ({
  kind: 'request_complete',
  correlationId: correlationIdOf(event.correlation_id),
  status: countOf(event.status_code, 'status_code'),
  durationMs: countOf(event.duration_ms, 'duration_ms'),
  requestBodySize: countOf(event.bytes_received, 'bytes_received'),
  responseBodySize: countOf(event.bytes_sent, 'bytes_sent'),
  // This transport says which one was asked, not how often.
  upstreamAttempts: (event.upstream ?? null) === null ? 0 : 1,
  upstream: optionalTextOf(event.upstream, 'upstream'),
  error: optionalTextOf(event.error, 'error'),
});
