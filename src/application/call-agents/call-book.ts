import { DeadlineList } from '../../domain/agent-protocol/deadline-list.js';
import type { AgentEvent } from '../../domain/agent-protocol/messages.js';
import type { AgentOutcome } from '../ports/agent-client.js';
import type { Clock } from '../ports/clock.js';
import type { ScheduledTask, Scheduler } from '../ports/scheduler.js';
import { AgentCall } from './agent-call.js';
import type { Dialogue } from './dialogues.js';
import type { PooledConnection } from './pooled-connection.js';

/** Late answers that are remembered, at the most. */
const maximumLate = 4_096;

/** Every open call of an agent by its correlation id, with one timer for all their deadlines. */
export class CallBook {
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #onExpired: (call: AgentCall) => void;
  readonly #calls = new Map<string, AgentCall>();
  readonly #deadlines = new DeadlineList<AgentCall>();
  /** Ids whose answer may still come by a connection, although nobody waits for it. */
  readonly #late = new Map<string, PooledConnection>();
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

  /** Whether a new call with the id of this event could be given another one's answer. */
  isTaken({ correlationId, kind }: AgentEvent): boolean {
    if (this.#calls.has(correlationId)) return true;
    // What a request that is over is answered changes nothing, and those that were cancelled are told of, too.
    return kind !== 'request_complete' && this.#late.has(correlationId);
  }

  get(correlationId: string): AgentCall | undefined {
    return this.#calls.get(correlationId);
  }

  open(event: AgentEvent, dialogue: Dialogue | null, resolve: (outcome: AgentOutcome) => void): AgentCall {
    const call = new AgentCall(event, this.#clock.monotonicMs() + this.#timeoutMs, dialogue, resolve);
    this.#calls.set(event.correlationId, call);
    this.#deadlines.add(call);
    if (this.#timer === null) this.#arm(this.#timeoutMs);
    return call;
  }

  /** Ends a call; nothing where it has ended. */
  settle(call: AgentCall, outcome: AgentOutcome): void {
    const { correlationId } = call.event;
    if (this.#calls.get(correlationId) !== call) return;
    this.#calls.delete(correlationId);
    this.#deadlines.remove(call);
    call.resolve(outcome);
  }

  /** A call that was sent has been given up: its answer is none for a later call with its id. */
  expectLate(correlationId: string, connection: PooledConnection): void {
    this.#late.set(correlationId, connection);
    if (this.#late.size <= maximumLate) return;
    const [oldest] = this.#late.keys();
    if (oldest !== undefined) this.#late.delete(oldest);
  }

  /** An answer that nobody waits for has come. */
  takeLate(correlationId: string, connection: PooledConnection): void {
    if (this.#late.get(correlationId) === connection) this.#late.delete(correlationId);
  }

  /** A connection has ended: no answer comes by it. Gives the calls that had been sent by it, or could only be. */
  callsOf(connection: PooledConnection): readonly AgentCall[] {
    for (const [correlationId, late] of this.#late) if (late === connection) this.#late.delete(correlationId);
    return this.all().filter((call) => call.connection === connection || call.dialogue?.connection === connection);
  }

  all(): readonly AgentCall[] {
    return [...this.#calls.values()];
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
