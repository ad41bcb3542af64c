import type { AgentFailureCode, AgentOutcome } from '../../../application/ports/agent-client.js';
import type { Deadlined } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { err } from '../../../domain/shared/result.js';
import type { AgentConnection } from './agent-connection.js';

/** A call that has been asked and has no outcome yet. */
export class AgentCall implements Deadlined<AgentCall> {
  readonly event: AgentEvent;
  readonly deadlineMs: number;
  readonly resolve: (outcome: AgentOutcome) => void;
  /** The only connection that may carry it; null where any may. */
  readonly pinned: AgentConnection | null;
  /** Set once it has been sent. */
  connection: AgentConnection | null = null;
  earlier: AgentCall | null = null;
  later: AgentCall | null = null;

  constructor(
    event: AgentEvent,
    deadlineMs: number,
    pinned: AgentConnection | null,
    resolve: (outcome: AgentOutcome) => void,
  ) {
    this.event = event;
    this.deadlineMs = deadlineMs;
    this.pinned = pinned;
    this.resolve = resolve;
  }
}

export const failedOutcome = (code: AgentFailureCode, detail: string): AgentOutcome => err({ code, detail });
