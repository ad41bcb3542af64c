import type {
  AgentEvent,
  RequestBodyChunkEvent,
  RequestCompleteEvent,
  RequestHeadersEvent,
  RequestMetadata,
  ResponseBodyChunkEvent,
  ResponseHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { encodeBase64 } from './base64-encoding.js';
import { readHeaders, writeHeaders } from './header-fields.js';
import { readCount, readFlag, readObject, readOptionalCount, readOptionalText, readText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

const requestHeadersJson = (event: RequestHeadersEvent): string => {
  const { metadata } = event;
  return JSON.stringify({
    correlation_id: event.correlationId,
    metadata: {
      correlation_id: event.correlationId,
      request_id: metadata.requestId,
      client_ip: metadata.clientIp,
      client_port: metadata.clientPort,
      server_name: metadata.serverName,
      protocol: metadata.protocol,
      tls_version: metadata.tlsVersion,
      tls_cipher: metadata.tlsCipher,
      route_id: metadata.routeId,
      upstream_id: metadata.upstreamId,
      timestamp: new Date(metadata.timestampMs).toISOString(),
      traceparent: metadata.traceparent,
    },
    method: event.method,
    uri: event.uri,
    headers: writeHeaders(event.headers),
  });
};

const requestBodyChunkJson = (event: RequestBodyChunkEvent): string =>
  JSON.stringify({
    correlation_id: event.correlationId,
    data: encodeBase64(event.data),
    is_last: event.isLast,
    total_size: event.totalSize,
    chunk_index: event.chunkIndex,
    bytes_received: event.bytesReceived,
  });

const responseHeadersJson = (event: ResponseHeadersEvent): string =>
  JSON.stringify({ correlation_id: event.correlationId, status: event.status, headers: writeHeaders(event.headers) });

const responseBodyChunkJson = (event: ResponseBodyChunkEvent): string =>
  JSON.stringify({
    correlation_id: event.correlationId,
    data: encodeBase64(event.data),
    is_last: event.isLast,
    total_size: event.totalSize,
    chunk_index: event.chunkIndex,
    bytes_sent: event.bytesSent,
  });

const requestCompleteJson = (event: RequestCompleteEvent): string =>
  JSON.stringify({
    correlation_id: event.correlationId,
    status: event.status,
    duration_ms: event.durationMs,
    request_body_size: event.requestBodySize,
    response_body_size: event.responseBodySize,
    upstream_attempts: event.upstreamAttempts,
    error: event.error,
  });

/** The payload of an event; its message has the name that its `kind` is. */
export const eventJson = (event: AgentEvent): string => {
  switch (event.kind) {
    case 'request_headers':
      return requestHeadersJson(event);
    case 'request_body_chunk':
      return requestBodyChunkJson(event);
    case 'response_headers':
      return responseHeadersJson(event);
    case 'response_body_chunk':
      return responseBodyChunkJson(event);
    case 'request_complete':
      return requestCompleteJson(event);
  }
};

const readTimestamp = (metadata: JsonObject): number => {
  const timestampMs = Date.parse(readText(metadata, 'timestamp'));
  if (Number.isNaN(timestampMs)) throw new MalformedMessage('"timestamp" is no time');
  return timestampMs;
};

const readMetadata = (metadata: JsonObject, correlationId: string): RequestMetadata => {
  // An agent that answers with the one must not answer for another request.
  if (readText(metadata, 'correlation_id') !== correlationId) throw new MalformedMessage('it has two correlation ids');
  return {
    correlationId,
    requestId: readText(metadata, 'request_id'),
    clientIp: readText(metadata, 'client_ip'),
    clientPort: readCount(metadata, 'client_port'),
    serverName: readOptionalText(metadata, 'server_name'),
    protocol: readText(metadata, 'protocol'),
    tlsVersion: readOptionalText(metadata, 'tls_version'),
    tlsCipher: readOptionalText(metadata, 'tls_cipher'),
    routeId: readOptionalText(metadata, 'route_id'),
    upstreamId: readOptionalText(metadata, 'upstream_id'),
    timestampMs: readTimestamp(metadata),
    traceparent: readOptionalText(metadata, 'traceparent'),
  };
};

export const readRequestHeaders = (object: JsonObject): RequestHeadersEvent => {
  const correlationId = readText(object, 'correlation_id');
  return {
    kind: 'request_headers',
    correlationId,
    metadata: readMetadata(readObject(object, 'metadata'), correlationId),
    method: readText(object, 'method'),
    uri: readText(object, 'uri'),
    headers: readHeaders(readObject(object, 'headers')),
  };
};

const readData = (object: JsonObject): Uint8Array => {
  const data = decodeBase64(readText(object, 'data'), 'standard');
  if (data === null) throw new MalformedMessage('"data" is no base64');
  return data;
};

export const readRequestBodyChunk = (object: JsonObject): RequestBodyChunkEvent => ({
  kind: 'request_body_chunk',
  correlationId: readText(object, 'correlation_id'),
  data: readData(object),
  isLast: readFlag(object, 'is_last'),
  totalSize: readOptionalCount(object, 'total_size'),
  chunkIndex: readCount(object, 'chunk_index'),
  bytesReceived: readCount(object, 'bytes_received'),
});

export const readResponseHeaders = (object: JsonObject): ResponseHeadersEvent => ({
  kind: 'response_headers',
  correlationId: readText(object, 'correlation_id'),
  status: readCount(object, 'status'),
  headers: readHeaders(readObject(object, 'headers')),
});

export const readResponseBodyChunk = (object: JsonObject): ResponseBodyChunkEvent => ({
  kind: 'response_body_chunk',
  correlationId: readText(object, 'correlation_id'),
  data: readData(object),
  isLast: readFlag(object, 'is_last'),
  totalSize: readOptionalCount(object, 'total_size'),
  chunkIndex: readCount(object, 'chunk_index'),
  bytesSent: readCount(object, 'bytes_sent'),
});

/** Figures of what is over: one that is missing is 0, and decides nothing. */
export const readRequestComplete = (object: JsonObject): RequestCompleteEvent => ({
  kind: 'request_complete',
  correlationId: readText(object, 'correlation_id'),
  status: readCount(object, 'status'),
  durationMs: readOptionalCount(object, 'duration_ms') ?? 0,
  requestBodySize: readOptionalCount(object, 'request_body_size') ?? 0,
  responseBodySize: readOptionalCount(object, 'response_body_size') ?? 0,
  upstreamAttempts: readOptionalCount(object, 'upstream_attempts') ?? 0,
  upstream: null,
  error: readOptionalText(object, 'error'),
});
