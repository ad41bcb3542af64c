/**
 * The messages of proto/agent-service-v2.proto as the loader gives them and takes them: names as in the proto, int64 as
 * numbers (inexact beyond 2^53), bytes as octets. Every member can be missing: a scalar that is 0, false or empty is not
 * on the wire (proto3), so what reads puts that in. Arrays and maps are always given. Null is taken for missing and
 * never given. Of a oneof the loader also gives the member's name; what is sent need not have it.
 */
export interface GrpcHeader {
  readonly name?: string;
  readonly value?: string;
}

export interface GrpcHandshakeRequest {
  readonly supported_versions?: readonly number[];
  readonly proxy_id?: string;
  readonly proxy_version?: string;
  /** JSON; empty or `null` where there is none. */
  readonly config_json?: string;
}

export interface GrpcAgentFeatures {
  readonly streaming_body?: boolean;
  readonly websocket?: boolean;
  readonly guardrails?: boolean;
  readonly config_push?: boolean;
  readonly metrics_export?: boolean;
  readonly concurrent_requests?: number;
  readonly cancellation?: boolean;
  readonly flow_control?: boolean;
  readonly health_reporting?: boolean;
}

export interface GrpcAgentLimits {
  readonly max_body_size?: number;
  readonly max_concurrency?: number;
  readonly preferred_chunk_size?: number;
  readonly max_memory?: number | null;
  readonly max_processing_time_ms?: number | null;
}

export interface GrpcHealthConfig {
  readonly report_interval_ms?: number;
  readonly include_load_metrics?: boolean;
  readonly include_resource_metrics?: boolean;
}

export interface GrpcAgentCapabilities {
  readonly protocol_version?: number;
  readonly agent_id?: string;
  readonly name?: string;
  readonly version?: string;
  readonly supported_events?: readonly number[];
  readonly features?: GrpcAgentFeatures | null;
  readonly limits?: GrpcAgentLimits | null;
  readonly health_config?: GrpcHealthConfig | null;
}

export interface GrpcHandshakeResponse {
  readonly protocol_version?: number;
  readonly capabilities?: GrpcAgentCapabilities | null;
  readonly success?: boolean;
  readonly error?: string | null;
}

export interface GrpcRequestMetadata {
  readonly correlation_id?: string;
  readonly request_id?: string;
  readonly client_ip?: string;
  readonly client_port?: number;
  readonly server_name?: string | null;
  readonly protocol?: string;
  readonly tls_version?: string | null;
  readonly route_id?: string | null;
  readonly upstream_id?: string | null;
  readonly timestamp_ms?: number;
  readonly traceparent?: string | null;
}

export interface GrpcRequestHeadersEvent {
  readonly metadata?: GrpcRequestMetadata | null;
  readonly method?: string;
  readonly uri?: string;
  readonly http_version?: string;
  readonly headers?: readonly GrpcHeader[];
}

export interface GrpcResponseHeadersEvent {
  readonly correlation_id?: string;
  readonly status_code?: number;
  readonly headers?: readonly GrpcHeader[];
}

export interface GrpcBodyChunkEvent {
  readonly correlation_id?: string;
  readonly chunk_index?: number;
  readonly data?: Uint8Array;
  readonly is_last?: boolean;
  readonly total_size?: number | null;
  readonly bytes_transferred?: number;
  readonly proxy_buffer_available?: number;
  readonly timestamp_ms?: number;
}

export interface GrpcWebSocketFrameEvent {
  readonly correlation_id?: string;
  readonly client_to_server?: boolean;
  readonly frame_type?: number;
  readonly payload?: Uint8Array;
}

export interface GrpcGuardrailInspectEvent {
  readonly correlation_id?: string;
  readonly content?: string;
  readonly content_type?: number;
  readonly model?: string | null;
  readonly context_json?: string;
}

export interface GrpcRequestCompleteEvent {
  readonly correlation_id?: string;
  readonly status_code?: number;
  readonly duration_ms?: number;
  readonly bytes_received?: number;
  readonly bytes_sent?: number;
  readonly upstream?: string | null;
  readonly from_cache?: boolean;
  readonly error?: string | null;
}

export interface GrpcConfigureEvent {
  readonly config_json?: string;
  readonly config_version?: string | null;
  readonly is_initial?: boolean;
  readonly timestamp_ms?: number;
}

export interface GrpcCancelRequest {
  readonly correlation_id?: string;
  /** Counts from 1. */
  readonly reason?: number;
  readonly timestamp_ms?: number;
  readonly blocking_agent_id?: string | null;
  readonly manual_reason?: string | null;
}

export interface GrpcPing {
  readonly sequence?: number;
  readonly timestamp_ms?: number;
}

export interface GrpcPong {
  readonly sequence?: number;
  readonly ping_timestamp_ms?: number;
  readonly timestamp_ms?: number;
}

/** What a gateway sends on ProcessStream and with ProcessEvent. */
export interface GrpcProxyToAgent {
  readonly message?: string;
  readonly handshake?: GrpcHandshakeRequest | null;
  readonly request_headers?: GrpcRequestHeadersEvent | null;
  readonly request_body_chunk?: GrpcBodyChunkEvent | null;
  readonly response_headers?: GrpcResponseHeadersEvent | null;
  readonly response_body_chunk?: GrpcBodyChunkEvent | null;
  readonly websocket_frame?: GrpcWebSocketFrameEvent | null;
  readonly guardrail?: GrpcGuardrailInspectEvent | null;
  readonly request_complete?: GrpcRequestCompleteEvent | null;
  readonly cancel?: GrpcCancelRequest | null;
  readonly configure?: GrpcConfigureEvent | null;
  readonly ping?: GrpcPing | null;
}

export interface GrpcBlockDecision {
  readonly status?: number;
  readonly body?: string | null;
  readonly headers?: readonly GrpcHeader[];
}

export interface GrpcRedirectDecision {
  readonly url?: string;
  readonly status?: number;
}

export interface GrpcChallengeDecision {
  readonly challenge_type?: string;
  readonly params?: Readonly<Record<string, string>>;
}

export interface GrpcHeaderOp {
  readonly operation?: string;
  readonly set?: GrpcHeader | null;
  readonly add?: GrpcHeader | null;
  readonly remove?: string | null;
}

export interface GrpcAuditMetadata {
  readonly tags?: readonly string[];
  readonly rule_ids?: readonly string[];
  readonly confidence?: number | null;
  readonly reason_codes?: readonly string[];
  readonly custom?: Readonly<Record<string, string>>;
}

export interface GrpcAgentResponse {
  readonly correlation_id?: string;
  readonly decision?: string;
  readonly allow?: Readonly<Record<never, never>> | null;
  readonly block?: GrpcBlockDecision | null;
  readonly redirect?: GrpcRedirectDecision | null;
  readonly challenge?: GrpcChallengeDecision | null;
  readonly request_headers?: readonly GrpcHeaderOp[];
  readonly response_headers?: readonly GrpcHeaderOp[];
  readonly audit?: GrpcAuditMetadata | null;
  readonly processing_time_ms?: number | null;
  readonly needs_more?: boolean;
}
