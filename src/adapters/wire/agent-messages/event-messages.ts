import type {
  AgentEvent,
  RequestBodyChunkEvent,
  RequestCompleteEvent,
  RequestHeadersEvent,
  ResponseBodyChunkEvent,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import {
  count,
  type FieldKind,
  flag,
  headerArrays,
  kindWithDefault,
  number,
  octets,
  optionalKind,
  refuse,
  textKind,
} from './field-kinds.js';
import { MalformedMessage } from './json-payload.js';
import { constantField, type Describes, field, grpcField, message, socketField, timestamp } from './message-table.js';

/** Required on gRPC: an answer without an id could belong to any event. */
export const correlationId: FieldKind<string, string> = {
  ...textKind,
  fromGrpc(value, name, isChecked) {
    const id = textKind.fromGrpc(value, name, isChecked);
    if (id === '') throw new MalformedMessage('it has no correlation id');
    return id;
  },
};

/** Milliseconds since the Unix epoch; RFC 3339 on the socket. */
const instant: FieldKind<number, number> = {
  ...count('large'),
  fromJson(value, name) {
    const instantMs = Date.parse(textKind.fromJson(value, name));
    return Number.isNaN(instantMs) ? refuse(name, 'time') : instantMs;
  },
  toJson: (instantMs) => new Date(instantMs).toISOString(),
};

export const requestMetadata = message({
  correlationId: field(correlationId, 'correlation_id', 1),
  requestId: field(textKind, 'request_id', 2),
  clientIp: field(textKind, 'client_ip', 3),
  clientPort: field(count('small'), 'client_port', 4),
  serverName: field(optionalKind(textKind), 'server_name', 5),
  protocol: field(textKind, 'protocol', 6),
  tlsVersion: field(optionalKind(textKind), 'tls_version', 7),
  tlsCipher: socketField(optionalKind(textKind), 'tls_cipher'),
  routeId: field(optionalKind(textKind), 'route_id', 8),
  upstreamId: field(optionalKind(textKind), 'upstream_id', 9),
  timestampMs: field(instant, 'timestamp_ms', 10, 'timestamp'),
  traceparent: field(optionalKind(textKind), 'traceparent', 11),
});

/** The id is also in the metadata; gRPC has it only there. */
export const requestHeaders = message(
  {
    kind: constantField('request_headers'),
    correlationId: socketField(textKind, 'correlation_id'),
    metadata: field(requestMetadata, 'metadata', 1),
    method: field(textKind, 'method', 2),
    uri: field(textKind, 'uri', 3),
    headers: field(headerArrays, 'headers', 5),
  },
  { httpVersion: grpcField(textKind, 'http_version', 4) },
) satisfies Describes<RequestHeadersEvent>;

const chunk = {
  correlationId: field(correlationId, 'correlation_id', 1),
  data: field(octets, 'data', 3),
  isLast: field(flag, 'is_last', 4),
  totalSize: field(optionalKind(count('large')), 'total_size', 5),
  chunkIndex: field(count('small'), 'chunk_index', 2),
};
const writeOnlyChunkFields = {
  proxyBufferAvailable: grpcField(number('large'), 'proxy_buffer_available', 7),
  ...timestamp(8),
};

export const requestBodyChunk = message(
  {
    kind: constantField('request_body_chunk'),
    ...chunk,
    bytesReceived: field(count('large'), 'bytes_transferred', 6, 'bytes_received'),
  },
  writeOnlyChunkFields,
) satisfies Describes<RequestBodyChunkEvent>;

export const responseBodyChunk = message(
  {
    kind: constantField('response_body_chunk'),
    ...chunk,
    bytesSent: field(count('large'), 'bytes_transferred', 6, 'bytes_sent'),
  },
  writeOnlyChunkFields,
) satisfies Describes<ResponseBodyChunkEvent>;

export const responseHeaders = message({
  kind: constantField('response_headers'),
  correlationId: field(correlationId, 'correlation_id', 1),
  status: field(count('small'), 'status_code', 2, 'status'),
  headers: field(headerArrays, 'headers', 3),
}) satisfies Describes<ResponseHeadersEvent>;

/** A missing figure of a completed request is 0; no decision depends on it. */
const total = kindWithDefault(count('large'), 0);

/** The socket reports the number of upstream attempts, gRPC the upstream. */
export const requestComplete = message(
  {
    kind: constantField('request_complete'),
    correlationId: field(correlationId, 'correlation_id', 1),
    status: field(count('small'), 'status_code', 2, 'status'),
    durationMs: field(total, 'duration_ms', 3),
    requestBodySize: field(total, 'bytes_received', 4, 'request_body_size'),
    responseBodySize: field(total, 'bytes_sent', 5, 'response_body_size'),
    upstreamAttempts: socketField(total, 'upstream_attempts'),
    upstream: grpcField(optionalKind(textKind), 'upstream', 6),
    error: field(optionalKind(textKind), 'error', 8),
  },
  { fromCache: grpcField(flag, 'from_cache', 7) },
) satisfies Describes<RequestCompleteEvent>;

const id = { correlationId: field(correlationId, 'correlation_id', 1) };

/** An event that agents of this project cannot subscribe to. Its id is read to answer it. */
export const unsupportedEvent = message(id);

export const webSocketFrame = message(id, {
  clientToServer: grpcField(flag, 'client_to_server', 2),
  frameType: grpcField(number('small'), 'frame_type', 3),
  payload: grpcField(octets, 'payload', 4),
});

export const guardrailInspect = message(id, {
  content: grpcField(textKind, 'content', 2),
  contentType: grpcField(number('small'), 'content_type', 3),
  model: grpcField(optionalKind(textKind), 'model', 4),
  contextJson: grpcField(textKind, 'context_json', 5),
});

const withIdInMetadata = (event: RequestHeadersEvent): RequestHeadersEvent => ({
  ...event,
  metadata: { ...event.metadata, correlationId: event.correlationId },
});

export const readRequestHeadersJson = (object: JsonObject): RequestHeadersEvent => {
  const event = requestHeaders.fromJson(object);
  // An answer with one of two ids could belong to another request.
  if (event.metadata.correlationId !== event.correlationId) throw new MalformedMessage('it has two correlation ids');
  return event;
};

export type GrpcRequestHeaders = ReturnType<typeof requestHeaders.toGrpc>;

export const readGrpcRequestHeaders = (event: GrpcRequestHeaders): RequestHeadersEvent => {
  if (!event.metadata) throw new MalformedMessage('it has no metadata');
  const read = requestHeaders.fromGrpc(event, '', false);
  return { ...read, correlationId: read.metadata.correlationId };
};

export const writeGrpcRequestHeaders = (event: RequestHeadersEvent): GrpcRequestHeaders =>
  requestHeaders.toGrpc(withIdInMetadata(event), { httpVersion: event.metadata.protocol });

/** The payload of an event on the socket. The message name is the event's `kind`. */
export const writeEventJson = (event: AgentEvent): JsonObject => {
  switch (event.kind) {
    case 'request_headers':
      return requestHeaders.toJson(withIdInMetadata(event));
    case 'request_body_chunk':
      return requestBodyChunk.toJson(event);
    case 'response_headers':
      return responseHeaders.toJson(event);
    case 'response_body_chunk':
      return responseBodyChunk.toJson(event);
    case 'request_complete':
      return requestComplete.toJson(event);
  }
};
