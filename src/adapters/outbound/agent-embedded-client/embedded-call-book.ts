import type { AgentOutcome } from '../../../application/ports/gateway/agent-client.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { type Deadlined, DeadlineList } from '../../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';

/** A call without an outcome yet. */
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

/** The open calls by correlation id, with one timer for all deadlines. */
export class EmbeddedCallBook {
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #onExpired: (call: EmbeddedCall) => void;
  readonly #calls = new TransientMap<EmbeddedCall>();
  readonly #deadlines = new DeadlineList<EmbeddedCall>();
  #timer: ScheduledTask | null = null;

  /** @param onExpired must settle the call */
  constructor(timeoutMs: number, clock: Clock, scheduler: Scheduler, onExpired: (call: EmbeddedCall) => void) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#calls.size;
  }

  isOpen(correlationId: string): boolean {
    return this.#calls.size > 0 && this.#calls.has(correlationId);
  }

  get(correlationId: string): EmbeddedCall | undefined {
    return this.#calls.get(correlationId);
  }

  all(): readonly EmbeddedCall[] {
    return this.#calls.values();
  }

  /** INVARIANT: no call is open for the same request. */
  open(event: AgentEvent, resolve: (outcome: AgentOutcome) => void): EmbeddedCall {
    const call = new EmbeddedCall(event, this.#clock.monotonicMs() + this.#timeoutMs, resolve);
    this.#calls.set(event.correlationId, call);
    this.#deadlines.add(call);
    this.#timer ??= this.#scheduler.after(this.#timeoutMs, this.#expire);
    return call;
  }

  /** Ends an open call. */
  settle(call: EmbeddedCall, outcome: AgentOutcome): void {
    call.isSettled = true;
    this.#calls.delete(call.event.correlationId);
    this.#deadlines.remove(call);
    call.resolve(outcome);
  }

  /** Stops the timer. INVARIANT: all calls are settled and none will be opened. */
  close(): void {
    this.#timer?.cancel();
  }

  readonly #expire = (): void => {
    const now = this.#clock.monotonicMs();
    this.#timer = null;
    for (let call = this.#deadlines.first; call !== null; call = this.#deadlines.first) {
      if (call.deadlineMs > now) {
        this.#timer = this.#scheduler.after(Math.max(1, Math.ceil(call.deadlineMs - now)), this.#expire);
        return;
      }
      this.#onExpired(call);
    }
  };
}
