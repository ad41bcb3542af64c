/** A line that an agent has the gateway log (agent protocol v2 over gRPC, LogMessage). */
export interface AgentLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Null where it is about no request. */
  readonly correlationId: string | null;
  readonly fields: Readonly<Record<string, string>>;
}
