import type { HeaderList } from '../http/header-list.js';

/** Metadata of a request besides its head (agent protocol v2, RequestHeaders.metadata). */
export interface RequestMetadata {
  /** The unique id that the gateway gives the request; never a client's value. */
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

/** The head of a request. */
export interface RequestHeadersEvent {
  readonly kind: 'request_headers';
  readonly correlationId: string;
  readonly metadata: RequestMetadata;
  readonly method: string;
  /** Path and query, as forwarded. */
  readonly uri: string;
  /** Names in lower case. */
  readonly headers: HeaderList;
}

/** A chunk of a request body, after an answer to the head with `needsMore`. */
export interface RequestBodyChunkEvent {
  readonly kind: 'request_body_chunk';
  readonly correlationId: string;
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body; null: unknown. */
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

/** A chunk of a response body, after an answer to the head with `needsMore`. */
export interface ResponseBodyChunkEvent {
  readonly kind: 'response_body_chunk';
  readonly correlationId: string;
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body; null: unknown. */
  readonly totalSize: number | null;
  /** Counts from 0. */
  readonly chunkIndex: number;
  /** Octets so far, this chunk included. */
  readonly bytesSent: number;
}

/** The end of a request. The answer has no effect. */
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
  /** Name of the upstream; null: none. The socket protocol does not carry it. */
  readonly upstream: string | null;
  /** The error as in the access log; null: none. */
  readonly error: string | null;
}

/** A body chunk of a request or response. */
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

/** Audit data of an answer. Never a secret. */
export interface AgentAudit {
  readonly tags: readonly string[];
  readonly ruleIds: readonly string[];
  readonly confidence: number | null;
  readonly reasonCodes: readonly string[];
  /** Members besides `correlation_id`, which the codec adds. */
  readonly custom: Readonly<Record<string, string>>;
}

export const emptyAudit: AgentAudit = { tags: [], ruleIds: [], confidence: null, reasonCodes: [], custom: {} };

/** A replacement of a body chunk. */
export interface BodyMutation {
  /** Index of the chunk. */
  readonly chunkIndex: number;
  /** Null: unchanged. Empty: dropped. */
  readonly data: Uint8Array | null;
}

/** An agent's answer to one event. */
export interface AgentAnswer {
  readonly decision: AgentDecision;
  /** Operations on the request to the upstream. */
  readonly requestHeaders: readonly HeaderOperation[];
  /** Operations on the response to the client, whatever its source. */
  readonly responseHeaders: readonly HeaderOperation[];
  /** The agent wants the body before it decides. */
  readonly needsMore: boolean;
  readonly audit: AgentAudit;
  /** Replaces the current request body chunk; null: unchanged. */
  readonly requestBodyMutation: BodyMutation | null;
  /** Replaces the current response body chunk; null: unchanged. */
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

/** Why a call was cancelled. The index is the wire number. */
export const cancelReasons = [
  'client_disconnect',
  'timeout',
  'blocked_by_agent',
  'upstream_error',
  'proxy_shutdown',
  'manual',
] as const;
export type CancelReason = (typeof cancelReasons)[number];
