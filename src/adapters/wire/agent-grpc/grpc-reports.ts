import type { GrpcAgentResponse, GrpcConfigureEvent, GrpcHandshakeResponse, GrpcPong } from './grpc-messages.js';

/** Members of messages are as in grpc-messages. */
export interface GrpcLoadMetrics {
  readonly in_flight?: number;
  readonly queue_depth?: number;
  readonly avg_latency_ms?: number;
  readonly p50_latency_ms?: number;
  readonly p95_latency_ms?: number;
  readonly p99_latency_ms?: number;
  readonly requests_processed?: number;
  readonly requests_rejected?: number;
  readonly requests_timed_out?: number;
}

export interface GrpcResourceMetrics {
  readonly cpu_percent?: number | null;
  readonly memory_bytes?: number | null;
  readonly memory_limit?: number | null;
  readonly active_threads?: number | null;
  readonly open_fds?: number | null;
  readonly fd_limit?: number | null;
  readonly connections?: number | null;
}

export interface GrpcHealthStatus {
  readonly agent_id?: string;
  readonly state?: number;
  readonly message?: string | null;
  readonly load?: GrpcLoadMetrics | null;
  readonly resources?: GrpcResourceMetrics | null;
  readonly valid_until_ms?: number | null;
  readonly timestamp_ms?: number;
  readonly disabled_features?: readonly string[];
  readonly timeout_multiplier?: number;
  readonly drain_eta_ms?: number | null;
  readonly unhealthy_reason?: string | null;
  readonly recoverable?: boolean;
}

/** A CounterMetric or a GaugeMetric. */
export interface GrpcReportedValue {
  readonly name?: string;
  readonly help?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: number;
}

export interface GrpcHistogramBucket {
  readonly le?: number;
  readonly count?: number;
}

export interface GrpcHistogramMetric {
  readonly name?: string;
  readonly help?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly sum?: number;
  readonly count?: number;
  readonly buckets?: readonly GrpcHistogramBucket[];
}

export interface GrpcMetricsReport {
  readonly agent_id?: string;
  readonly timestamp_ms?: number;
  readonly interval_ms?: number;
  readonly counters?: readonly GrpcReportedValue[];
  readonly gauges?: readonly GrpcReportedValue[];
  readonly histograms?: readonly GrpcHistogramMetric[];
}

export interface GrpcFlowControlSignal {
  readonly correlation_id?: string | null;
  readonly action?: number;
  readonly buffer_available?: number | null;
  readonly timestamp_ms?: number;
}

export interface GrpcLogMessage {
  readonly level?: number;
  readonly message?: string;
  readonly correlation_id?: string | null;
  readonly fields?: Readonly<Record<string, string>>;
  readonly timestamp_ms?: number;
}

export interface GrpcRuleDefinition {
  readonly id?: string;
  readonly priority?: number;
  readonly definition_json?: string;
  readonly enabled?: boolean;
  readonly description?: string | null;
  readonly tags?: readonly string[];
}

export interface GrpcConfigUpdateRequest {
  readonly request_id?: string;
  readonly timestamp_ms?: number;
  readonly update_type?: string;
  readonly request_reload?: Readonly<Record<never, never>> | null;
  readonly rule_update?: {
    readonly rule_set?: string;
    readonly rules?: readonly GrpcRuleDefinition[];
    readonly remove_rules?: readonly string[];
  } | null;
  readonly list_update?: {
    readonly list_id?: string;
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
  } | null;
  readonly restart_required?: { readonly reason?: string; readonly grace_period_ms?: number } | null;
  readonly config_error?: { readonly error?: string; readonly field?: string | null } | null;
}

export interface GrpcConfigUpdateResponse {
  readonly request_id?: string;
  readonly accepted?: boolean;
  readonly error?: string | null;
  readonly timestamp_ms?: number;
}

/** A ShutdownRequest. */
export interface GrpcShutdownRequest {
  readonly reason?: number;
  readonly grace_period_ms?: number;
  readonly timestamp_ms?: number;
}

export interface GrpcDrainRequest {
  readonly duration_ms?: number;
  readonly reason?: number;
  readonly timestamp_ms?: number;
}

/** What an agent sends on ProcessStream and answers with to ProcessEvent. */
export interface GrpcAgentToProxy {
  readonly message?: string;
  readonly handshake?: GrpcHandshakeResponse | null;
  readonly response?: GrpcAgentResponse | null;
  readonly health?: GrpcHealthStatus | null;
  readonly metrics?: GrpcMetricsReport | null;
  readonly config_update?: GrpcConfigUpdateRequest | null;
  readonly flow_control?: GrpcFlowControlSignal | null;
  readonly pong?: GrpcPong | null;
  readonly log?: GrpcLogMessage | null;
}

/** What a caller of ControlStream sends. */
export interface GrpcAgentControl {
  readonly message?: string;
  readonly health?: GrpcHealthStatus | null;
  readonly metrics?: GrpcMetricsReport | null;
  readonly config_update?: GrpcConfigUpdateRequest | null;
  readonly log?: GrpcLogMessage | null;
}

/** What is sent to a caller of ControlStream. */
export interface GrpcProxyControl {
  readonly message?: string;
  readonly configure?: GrpcConfigureEvent | null;
  readonly shutdown?: GrpcShutdownRequest | null;
  readonly drain?: GrpcDrainRequest | null;
  readonly config_response?: GrpcConfigUpdateResponse | null;
}
