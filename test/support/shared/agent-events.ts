import {
  type AgentAnswer,
  type AgentDecision,
  allowAnswer,
  type RequestBodyChunkEvent,
  type RequestCompleteEvent,
  type RequestHeadersEvent,
  type ResponseBodyChunkEvent,
  type ResponseHeadersEvent,
} from '../../../src/domain/agent-protocol/messages.js';

export const headersEvent = (
  correlationId: string,
  members: Partial<RequestHeadersEvent> = {},
): RequestHeadersEvent => ({
  kind: 'request_headers',
  correlationId,
  metadata: {
    correlationId,
    requestId: '4f1c0a52-6f6e-4a44-9a38-0c8bb01ec0ff',
    clientIp: '192.0.2.7',
    clientPort: 40_000,
    serverName: null,
    protocol: 'HTTP/1.1',
    tlsVersion: null,
    tlsCipher: null,
    routeId: 'api',
    upstreamId: null,
    timestampMs: 1_700_000_000_123,
    traceparent: null,
  },
  method: 'GET',
  uri: '/a?b=c',
  headers: ['host', 'example.test'],
  ...members,
});

export const chunkEvent = (
  correlationId: string,
  members: Partial<RequestBodyChunkEvent> = {},
): RequestBodyChunkEvent => ({
  kind: 'request_body_chunk',
  correlationId,
  data: new Uint8Array(0),
  isLast: true,
  totalSize: null,
  chunkIndex: 0,
  bytesReceived: 0,
  ...members,
});

export const decided = (decision: AgentDecision): AgentAnswer => ({ ...allowAnswer, decision });
export const needsMoreAnswer: AgentAnswer = { ...allowAnswer, needsMore: true };

export const responseEvent = (
  correlationId: string,
  members: Partial<ResponseHeadersEvent> = {},
): ResponseHeadersEvent => ({
  kind: 'response_headers',
  correlationId,
  status: 200,
  headers: ['content-type', 'text/plain'],
  ...members,
});

export const responseChunkEvent = (
  correlationId: string,
  members: Partial<ResponseBodyChunkEvent> = {},
): ResponseBodyChunkEvent => ({
  kind: 'response_body_chunk',
  correlationId,
  data: new Uint8Array(0),
  isLast: true,
  totalSize: null,
  chunkIndex: 0,
  bytesSent: 0,
  ...members,
});

export const completeEvent = (
  correlationId: string,
  members: Partial<RequestCompleteEvent> = {},
): RequestCompleteEvent => ({
  kind: 'request_complete',
  correlationId,
  status: 200,
  durationMs: 12,
  requestBodySize: 3,
  responseBodySize: 4,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
  ...members,
});
