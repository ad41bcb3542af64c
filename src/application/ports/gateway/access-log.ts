import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';

/** What is written of each request once it has ended. */
export interface AccessRecord {
  readonly requestId: string;
  /** Of the trace; the request's id while tracing is off. */
  readonly traceId: string;
  /** The id shown to the client in X-Correlation-Id. */
  readonly correlationId: string;
  readonly clientIp: string;
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  readonly protocol: string;
  readonly host: string | null;
  readonly route: string | null;
  readonly upstream: string | null;
  /** The target's address. */
  readonly target: string | null;
  /** As it was sent. */
  readonly status: number;
  /** The gRPC code of an error that was answered with status 200; null where there was none. */
  readonly grpcStatus: number | null;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Code of the problem that ended it; null where nothing went wrong. */
  readonly errorType: string | null;
  /** Null where no agent ended it. */
  readonly verdict: AgentVerdict | null;
}

export interface AccessLog {
  /** False: what is written goes nowhere, so that it need not be put together. */
  readonly isOn: boolean;
  write(record: AccessRecord): void;
}
