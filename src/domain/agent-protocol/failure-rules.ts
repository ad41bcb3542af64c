/** Why a call to an agent has no answer. The failure mode of the agent handles every code. */
export type AgentFailureCode =
  /** No connection with a completed handshake. */
  | 'unreachable'
  /** The connection ended while the call was in flight. */
  | 'disconnected'
  | 'timed_out'
  /** The answer is invalid. */
  | 'malformed_answer'
  /** Too many calls wait, or the connection still has unsent data of this request. */
  | 'queue_full'
  /** The agent refused its configuration, or has no common protocol version. */
  | 'refused'
  /** The caller cancelled. */
  | 'cancelled'
  /** The agent reports itself as unhealthy. */
  | 'unhealthy'
  /** The circuit breaker is open after repeated failures. */
  | 'circuit_open'
  /** The agent does not support this event. */
  | 'unsupported_event'
  /** The answer exceeds the size limit. */
  | 'response_too_large';

const opening: Readonly<Record<AgentFailureCode, boolean>> = {
  unreachable: true,
  disconnected: true,
  timed_out: true,
  queue_full: true,
  refused: true,
  unhealthy: true,
  circuit_open: true,
  unsupported_event: true,
  malformed_answer: false,
  response_too_large: false,
  cancelled: false,
};

/**
 * Whether failure mode `open` continues without the agent after this failure. False if there was an invalid answer,
 * which may have been a refusal. False if the caller cancelled, which is not a failure of the agent.
 */
export const opensOn = (code: AgentFailureCode): boolean => opening[code];
