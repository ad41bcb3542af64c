/** A log line from an agent (agent protocol v2 over gRPC, LogMessage). */
export interface AgentLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Null: not about a request. */
  readonly correlationId: string | null;
  readonly fields: Readonly<Record<string, string>>;
}
