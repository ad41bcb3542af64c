import type { Deadlined } from '../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../domain/agent-protocol/messages.js';
import type { ReachedLimit } from '../../domain/limits/limit-violation.js';
import { err } from '../../domain/shared/result.js';
import type { AgentFailureCode, AgentOutcome } from '../ports/agent-client.js';
import type { Dialogue } from './dialogues.js';
import type { PooledConnection } from './pooled-connection.js';

/** A call that has been asked and has no outcome yet. */
export class AgentCall implements Deadlined<AgentCall> {
  readonly event: AgentEvent;
  readonly deadlineMs: number;
  readonly resolve: (outcome: AgentOutcome) => void;
  /** The dialogue that it is a part of, whose connection alone may carry it; null where any may. */
  readonly dialogue: Dialogue | null;
  /** Set once it has been sent. */
  connection: PooledConnection | null = null;
  /** The agent wants no chunk yet of the body that it may ask for in its answer. */
  holdsChunks = false;
  earlier: AgentCall | null = null;
  later: AgentCall | null = null;

  constructor(
    event: AgentEvent,
    deadlineMs: number,
    dialogue: Dialogue | null,
    resolve: (outcome: AgentOutcome) => void,
  ) {
    this.event = event;
    this.deadlineMs = deadlineMs;
    this.dialogue = dialogue;
    this.resolve = resolve;
  }
}

/** `limit`: the one of the gateway that was reached, where that is why. */
export const failedOutcome = (code: AgentFailureCode, detail: string, limit?: ReachedLimit): AgentOutcome =>
  err(limit === undefined ? { code, detail } : { code, detail, limit });

/** The outcome of a call that is not taken at all. */
export const refused = (code: AgentFailureCode, detail: string): Promise<AgentOutcome> =>
  Promise.resolve(failedOutcome(code, detail));
