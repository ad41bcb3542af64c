import { agentQueueLimit } from '../../../domain/gateway/limits/agent-limits.js';
import type { PermitOutcome } from '../../../domain/gateway/limits/held-permits.js';
import type { AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Permits } from '../../ports/gateway/permits.js';
import { type AgentCall, failedOutcome } from './agent-call.js';

/** The queued calls of an agent, in order of arrival, with their permits for the queue. */
export class WaitingCalls {
  readonly #maxQueueDepth: number;
  readonly #permits: Permits | null;
  readonly #evicted: (call: AgentCall) => void;
  /** By call: true if it has a permit, false while the permit is requested. */
  readonly #calls = new Map<AgentCall, boolean>();

  /**
   * `permits`: the permits of a queue that is shared with other workers; null: the queue is this client's own, with
   * `maxQueueDepth` places. `evicted` gets a call that is removed because it gets no permit.
   */
  constructor(maxQueueDepth: number, permits: Permits | null, evicted: (call: AgentCall) => void) {
    this.#maxQueueDepth = maxQueueDepth;
    this.#permits = permits;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** The outcome of a call when the queue is full. */
  get refusal(): AgentOutcome {
    const waiting = Math.max(this.#calls.size, this.#permits?.takenByAll ?? 0);
    const limit = agentQueueLimit(this.#maxQueueDepth, waiting);
    return failedOutcome('queue_full', `${waiting} calls are queued already`, limit);
  }

  /** Takes a permit for the call that is added next. */
  take(): PermitOutcome {
    if (this.#permits !== null) return this.#permits.take();
    return this.#calls.size >= this.#maxQueueDepth ? 'full' : 'taken';
  }

  add(call: AgentCall, place: Exclude<PermitOutcome, 'full'>): void {
    this.#calls.set(call, place === 'taken');
    if (place === 'unknown' && this.#permits !== null) void this.#ask(call, this.#permits);
  }

  /** Removes a call. Does nothing if it is not queued. */
  delete(call: AgentCall): void {
    const hasPlace = this.#calls.get(call);
    this.#calls.delete(call);
    if (hasPlace === true) this.#permits?.giveBack();
  }

  [Symbol.iterator](): IterableIterator<AgentCall> {
    return this.#calls.keys();
  }

  /** Releases the permits. No more calls follow. */
  close(): void {
    this.#permits?.close();
  }

  async #ask(call: AgentCall, permits: Permits): Promise<void> {
    const isTaken = await permits.ask();
    if (!this.#calls.has(call)) {
      if (isTaken) permits.giveBack();
    } else if (isTaken) {
      this.#calls.set(call, true);
    } else {
      this.#calls.delete(call);
      this.#evicted(call);
    }
  }
}
