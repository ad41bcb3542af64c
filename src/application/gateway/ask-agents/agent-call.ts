import type { Deadlined } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { ReachedLimit } from '../../../domain/gateway/limits/limit-violation.js';
import { err } from '../../../domain/shared/result.js';
import type { AgentCallListener, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Dialogue } from './dialogues.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** A call without an outcome yet. */
export class AgentCall implements Deadlined<AgentCall> {
  readonly event: AgentEvent;
  readonly deadlineMs: number;
  readonly listener: AgentCallListener;
  /** The dialogue that it belongs to, whose connection must carry it; null: any connection may. */
  readonly dialogue: Dialogue | null;
  /** Set when the call is sent. */
  connection: PooledAgentConnection | null = null;
  /** The caller knows about the call, so its listener may be called. */
  isMade = false;
  /** The agent has paused the chunks of the body for which it may ask in its answer. */
  holdsChunks = false;
  earlier: AgentCall | null = null;
  later: AgentCall | null = null;

  constructor(event: AgentEvent, deadlineMs: number, dialogue: Dialogue | null, listener: AgentCallListener) {
    this.event = event;
    this.deadlineMs = deadlineMs;
    this.dialogue = dialogue;
    this.listener = listener;
  }

  /**
   * Reports the outcome at once if `isMade`, otherwise later. Call it last: the listener may call back into the client.
   */
  report(outcome: AgentOutcome): void {
    if (this.isMade) this.listener.answered(outcome);
    else this.reportLater(outcome);
  }

  /** Reports the outcome after the current task. */
  reportLater(outcome: AgentOutcome): void {
    void Promise.resolve(outcome).then((late) => this.listener.answered(late));
  }
}

/** `limit`: the limit of the gateway that caused the failure, if any. */
export const failedOutcome = (code: AgentFailureCode, detail: string, limit?: ReachedLimit): AgentOutcome =>
  err(limit === undefined ? { code, detail } : { code, detail, limit });

/** The outcome of a call that no connection can carry, because its answer could be mistaken for a late one. */
export const ambiguousOutcome = failedOutcome(
  'queue_full',
  'each connection may still deliver the answer to an earlier event of this request',
);
