import type { AgentOutcome } from '../../../application/ports/gateway/agent-client.js';
import type { Deadlined } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';

/** A call that has been asked and has no outcome yet. */
export class EmbeddedCall implements Deadlined<EmbeddedCall> {
  readonly event: AgentEvent;
  readonly deadlineMs: number;
  readonly resolve: (outcome: AgentOutcome) => void;
  isSettled = false;
  earlier: EmbeddedCall | null = null;
  later: EmbeddedCall | null = null;

  constructor(event: AgentEvent, deadlineMs: number, resolve: (outcome: AgentOutcome) => void) {
    this.event = event;
    this.deadlineMs = deadlineMs;
    this.resolve = resolve;
  }
}
