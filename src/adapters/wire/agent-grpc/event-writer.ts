import type {
  AgentEvent,
  BodyChunkEvent,
  RequestCompleteEvent,
  RequestHeadersEvent,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import type {
  GrpcBodyChunkEvent,
  GrpcProxyToAgent,
  GrpcRequestCompleteEvent,
  GrpcRequestHeadersEvent,
  GrpcResponseHeadersEvent,
} from './grpc-messages.js';
import { writeHeaderFields } from './header-fields.js';

/** The cipher has no place here. */
const writeRequestHeaders = ({ metadata, ...event }: RequestHeadersEvent): GrpcRequestHeadersEvent => ({
  metadata: {
    correlation_id: event.correlationId,
    request_id: metadata.requestId,
    client_ip: metadata.clientIp,
    client_port: metadata.clientPort,
    server_name: metadata.serverName,
    protocol: metadata.protocol,
    tls_version: metadata.tlsVersion,
    route_id: metadata.routeId,
    upstream_id: metadata.upstreamId,
    timestamp_ms: metadata.timestampMs,
    traceparent: metadata.traceparent,
  },
  method: event.method,
  uri: event.uri,
  http_version: metadata.protocol,
  headers: writeHeaderFields(event.headers),
});

const writeResponseHeaders = (event: ResponseHeadersEvent): GrpcResponseHeadersEvent => ({
  correlation_id: event.correlationId,
  status_code: event.status,
  headers: writeHeaderFields(event.headers),
});

const writeBodyChunk = (event: BodyChunkEvent, nowMs: number): GrpcBodyChunkEvent => ({
  correlation_id: event.correlationId,
  chunk_index: event.chunkIndex,
  data: event.data,
  is_last: event.isLast,
  total_size: event.totalSize,
  bytes_transferred: event.kind === 'request_body_chunk' ? event.bytesReceived : event.bytesSent,
  timestamp_ms: nowMs,
});

/** How often the upstream was asked has no place here, only which it was. */
const writeRequestComplete = (event: RequestCompleteEvent): GrpcRequestCompleteEvent => ({
  correlation_id: event.correlationId,
  status_code: event.status,
  duration_ms: event.durationMs,
  bytes_received: event.requestBodySize,
  bytes_sent: event.responseBodySize,
  upstream: event.upstream,
  error: event.error,
});

/** @param nowMs milliseconds since the Unix epoch */
export const writeEvent = (event: AgentEvent, nowMs: number): GrpcProxyToAgent => {
  switch (event.kind) {
    case 'request_headers':
      return { request_headers: writeRequestHeaders(event) };
    case 'request_body_chunk':
      return { request_body_chunk: writeBodyChunk(event, nowMs) };
    case 'response_headers':
      return { response_headers: writeResponseHeaders(event) };
    case 'response_body_chunk':
      return { response_body_chunk: writeBodyChunk(event, nowMs) };
    case 'request_complete':
      return { request_complete: writeRequestComplete(event) };
  }
};
