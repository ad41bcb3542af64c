import type { HeaderList } from '../http/header-list.js';

/** What the gateway tells an agent about a request, besides its head (agent protocol v2, RequestHeaders.metadata). */
export interface RequestMetadata {
  /** The gateway's own id of the request; unique, never the client's. */
  readonly correlationId: string;
  /** A UUID. */
  readonly requestId: string;
  readonly clientIp: string;
  readonly clientPort: number;
  readonly serverName: string | null;
  /** `HTTP/1.1`, `HTTP/2`. */
  readonly protocol: string;
  readonly tlsVersion: string | null;
  readonly tlsCipher: string | null;
  readonly routeId: string | null;
  readonly upstreamId: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  readonly traceparent: string | null;
}

/** The head of a request, for judgement. */
export interface RequestHeadersEvent {
  readonly kind: 'request_headers';
  readonly correlationId: string;
  readonly metadata: RequestMetadata;
  readonly method: string;
  /** Path and query, as they will be forwarded. */
  readonly uri: string;
  /** Names in lower case. */
  readonly headers: HeaderList;
}

/** A piece of the body of a request whose headers were answered with `needsMore`. */
export interface RequestBodyChunkEvent {
  readonly kind: 'request_body_chunk';
  readonly correlationId: string;
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body where it is known. */
  readonly totalSize: number | null;
  /** Counts from 0. */
  readonly chunkIndex: number;
  /** Octets so far, this chunk included. */
  readonly bytesReceived: number;
}

/** The head of the upstream's response. */
export interface ResponseHeadersEvent {
  readonly kind: 'response_headers';
  readonly correlationId: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderList;
}

/** A piece of the body of a response whose head was answered with `needsMore`. */
export interface ResponseBodyChunkEvent {
  readonly kind: 'response_body_chunk';
  readonly correlationId: string;
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body where it is known. */
  readonly totalSize: number | null;
  /** Counts from 0. */
  readonly chunkIndex: number;
  /** Octets so far, this chunk included. */
  readonly bytesSent: number;
}

/** The request is over. What is answered changes nothing any more. */
export interface RequestCompleteEvent {
  readonly kind: 'request_complete';
  readonly correlationId: string;
  readonly status: number;
  readonly durationMs: number;
  /** Octets. */
  readonly requestBodySize: number;
  /** Octets. */
  readonly responseBodySize: number;
  readonly upstreamAttempts: number;
  /** Name of the upstream that was asked; null where none was. The socket has no place for it. */
  readonly upstream: string | null;
  /** What went wrong, as the access log calls it; null where nothing did. */
  readonly error: string | null;
}

/** A piece of a body, either way. */
export type BodyChunkEvent = RequestBodyChunkEvent | ResponseBodyChunkEvent;

export type AgentEvent =
  | RequestHeadersEvent
  | RequestBodyChunkEvent
  | ResponseHeadersEvent
  | ResponseBodyChunkEvent
  | RequestCompleteEvent;

export type HeaderOperation =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'add'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

export type AgentDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'block'; readonly status: number; readonly body: string | null; readonly headers: HeaderList }
  | { readonly kind: 'redirect'; readonly url: string; readonly status: number }
  | { readonly kind: 'challenge'; readonly challengeType: string; readonly params: Readonly<Record<string, string>> };

/** What an agent wants remembered about its answer. Never a secret. */
export interface AgentAudit {
  readonly tags: readonly string[];
  readonly ruleIds: readonly string[];
  readonly confidence: number | null;
  readonly reasonCodes: readonly string[];
  /** Members beside `correlation_id`, which the wire adds itself. */
  readonly custom: Readonly<Record<string, string>>;
}

export const emptyAudit: AgentAudit = { tags: [], ruleIds: [], confidence: null, reasonCodes: [], custom: {} };

/** What becomes of the chunk that was asked about. */
export interface BodyMutation {
  /** That of the chunk. */
  readonly chunkIndex: number;
  /** Null: it goes on as it is. Empty: it is dropped. */
  readonly data: Uint8Array | null;
}

/** An agent's answer to one event. */
export interface AgentAnswer {
  readonly decision: AgentDecision;
  /** For the request on its way to the upstream. */
  readonly requestHeaders: readonly HeaderOperation[];
  /** For the response on its way to the client, whoever makes it. */
  readonly responseHeaders: readonly HeaderOperation[];
  /** The agent wants the body before it decides. */
  readonly needsMore: boolean;
  readonly audit: AgentAudit;
  /** For the chunk of a request's body that is answered; null: it goes on as it is. */
  readonly requestBodyMutation: BodyMutation | null;
  /** For the chunk of a response's body that is answered; null: it goes on as it is. */
  readonly responseBodyMutation: BodyMutation | null;
}

export const allowAnswer: AgentAnswer = {
  decision: { kind: 'allow' },
  requestHeaders: [],
  responseHeaders: [],
  needsMore: false,
  audit: emptyAudit,
  requestBodyMutation: null,
  responseBodyMutation: null,
};

/** Why a call was cancelled; the order is that of the wire, from 0. */
export const cancelReasons = [
  'client_disconnect',
  'timeout',
  'blocked_by_agent',
  'upstream_error',
  'proxy_shutdown',
  'manual',
] as const;
export type CancelReason = (typeof cancelReasons)[number];
