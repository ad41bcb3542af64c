import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';

/** The access log record of a finished request. */
export interface AccessRecord {
  readonly requestId: string;
  /** Id of the trace; the request id if tracing is off. */
  readonly traceId: string;
  /** The id that the client gets in X-Correlation-Id. */
  readonly correlationId: string;
  readonly clientIp: string;
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  /** The path that the upstream got, without the query; null: the same. */
  readonly upstreamPath: string | null;
  readonly protocol: string;
  readonly host: string | null;
  readonly route: string | null;
  readonly upstream: string | null;
  /** Address of the target. */
  readonly target: string | null;
  /** The status sent to the client. */
  readonly status: number;
  /** The gRPC code of an error sent with status 200; else null. */
  readonly grpcStatus: number | null;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Code of the problem that ended the request; null if there was none. */
  readonly errorType: string | null;
  /** Null if no agent ended the request. */
  readonly verdict: AgentVerdict | null;
}

export interface AccessLog {
  /** False: log lines are discarded, so callers need not build them. */
  readonly isOn: boolean;
  write(record: AccessRecord): void;
}
