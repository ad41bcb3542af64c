/** Why a call to an agent gave no answer. Every one of them is handled by the agent's failure mode. */
export type AgentFailureCode =
  /** No connection, or none that finished its handshake. */
  | 'unreachable'
  /** The connection ended while the call was in flight. */
  | 'disconnected'
  | 'timed_out'
  /** An answer came that is none. */
  | 'malformed_answer'
  /** Too many calls wait already, or the connection is taken by what it still has to say about this request. */
  | 'queue_full'
  /** The agent refused its configuration, or speaks no common version. */
  | 'refused'
  /** The caller cancelled. */
  | 'cancelled'
  /** The agent says itself that it cannot decide. */
  | 'unhealthy'
  /** The agent has failed too often of late to be asked. */
  | 'circuit_open'
  /** The agent does not take events of this kind. */
  | 'unsupported_event'
  /** The answer is larger than answers may be. */
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
 * Whether failure mode `open` lets a message go on without an agent that failed so. Never where an answer came:
 * whatever is wrong with it, it may have been meant as a refusal. Nor where the caller gave up, which is no failure
 * of the agent.
 */
export const opensOn = (code: AgentFailureCode): boolean => opening[code];
