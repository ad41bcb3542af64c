import { DeadlineList } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { AgentCallListener, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { AgentCall } from './agent-call.js';
import type { Dialogue } from './dialogues.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** The open calls of an agent by correlation id, with one timer for all deadlines. */
export class CallBook {
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #onExpired: (call: AgentCall) => void;
  readonly #calls = new TransientMap<AgentCall>();
  readonly #deadlines = new DeadlineList<AgentCall>();
  #timer: ScheduledTask | null = null;

  constructor(timeoutMs: number, clock: Clock, scheduler: Scheduler, onExpired: (call: AgentCall) => void) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#calls.size;
  }

  get(correlationId: string): AgentCall | undefined {
    return this.#calls.get(correlationId);
  }

  open(event: AgentEvent, dialogue: Dialogue | null, listener: AgentCallListener): AgentCall {
    const call = new AgentCall(event, this.#clock.monotonicMs() + this.#timeoutMs, dialogue, listener);
    this.#calls.set(event.correlationId, call);
    this.#deadlines.add(call);
    if (this.#timer === null) this.#arm(this.#timeoutMs);
    return call;
  }

  /** Ends a call, and reports its outcome after the current task. Does nothing if the call has ended. */
  settle(call: AgentCall, outcome: AgentOutcome): void {
    if (this.#calls.get(call.event.correlationId) !== call) return;
    this.remove(call);
    call.reportLater(outcome);
  }

  /** Removes an open call without reporting an outcome. */
  remove(call: AgentCall): void {
    this.#calls.delete(call.event.correlationId);
    this.#deadlines.remove(call);
  }

  /** The calls that were sent on a connection, or that only this connection may carry. */
  callsOf(connection: PooledAgentConnection): readonly AgentCall[] {
    return this.all().filter((call) => call.connection === connection || call.dialogue?.connection === connection);
  }

  all(): readonly AgentCall[] {
    return this.#calls.values();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(delayMs: number): void {
    this.#timer = this.#scheduler.after(delayMs, this.#expire);
  }

  readonly #expire = (): void => {
    const now = this.#clock.monotonicMs();
    this.#timer = null;
    for (let call = this.#deadlines.first; call !== null; call = this.#deadlines.first) {
      if (call.deadlineMs > now) {
        this.#arm(Math.max(1, Math.ceil(call.deadlineMs - now)));
        return;
      }
      this.#onExpired(call);
    }
  };
}
