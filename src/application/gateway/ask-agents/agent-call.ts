import type { Deadlined } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { ReachedLimit } from '../../../domain/gateway/limits/limit-violation.js';
import { err } from '../../../domain/shared/result.js';
import type { AgentCallListener, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Dialogue } from './dialogues.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** A call that has been asked and has no outcome yet. */
export class AgentCall implements Deadlined<AgentCall> {
  readonly event: AgentEvent;
  readonly deadlineMs: number;
  readonly listener: AgentCallListener;
  /** The dialogue that it is a part of, whose connection alone may carry it; null where any may. */
  readonly dialogue: Dialogue | null;
  /** Set once it has been sent. */
  connection: PooledAgentConnection | null = null;
  /** Whoever has asked knows of it. */
  isMade = false;
  /** The agent wants no chunk yet of the body that it may ask for in its answer. */
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
   * Tells whoever has asked at once, where they know that they have. Nothing may be left to do that is not to see
   * what comes of it.
   */
  tell(outcome: AgentOutcome): void {
    if (this.isMade) this.listener.answered(outcome);
    else this.tellLater(outcome);
  }

  /** Tells whoever has asked, once what is being done is done. */
  tellLater(outcome: AgentOutcome): void {
    void Promise.resolve(outcome).then((late) => this.listener.answered(late));
  }
}

/** `limit`: the one of the gateway that was reached, where that is why. */
export const failedOutcome = (code: AgentFailureCode, detail: string, limit?: ReachedLimit): AgentOutcome =>
  err(limit === undefined ? { code, detail } : { code, detail, limit });

/** That of a call which no connection can take, because nobody could tell whose answer comes by it. */
export const ambiguousOutcome = failedOutcome(
  'queue_full',
  'each connection may still bring the answer to an earlier event of this request',
);
