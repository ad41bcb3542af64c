import { DeadlineList } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { AgentCallListener, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { AgentCall } from './agent-call.js';
import type { Dialogue } from './dialogues.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** Every open call of an agent by its correlation id, with one timer for all their deadlines. */
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

  /** Ends a call; nothing where it has ended. Whoever has asked is told once what is being done is done. */
  settle(call: AgentCall, outcome: AgentOutcome): void {
    if (this.#calls.get(call.event.correlationId) !== call) return;
    this.remove(call);
    call.tellLater(outcome);
  }

  /** Takes out a call that has not ended; who has asked is still to be told. */
  remove(call: AgentCall): void {
    this.#calls.delete(call.event.correlationId);
    this.#deadlines.remove(call);
  }

  /** A connection has ended: no answer comes by it. Gives the calls that had been sent by it, or could only be. */
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
