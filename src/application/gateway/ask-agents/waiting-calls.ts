import { agentQueueLimit } from '../../../domain/gateway/limits/agent-limits.js';
import type { PermitOutcome } from '../../../domain/gateway/limits/permit-holding.js';
import type { AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Permits } from '../../ports/gateway/permits.js';
import { type AgentCall, failedOutcome } from './agent-call.js';

/** The calls of an agent that wait for a free place, in the order in which they came, and the places of the queue. */
export class WaitingCalls {
  readonly #maxQueueDepth: number;
  readonly #permits: Permits | null;
  readonly #evicted: (call: AgentCall) => void;
  /** By call, whether it has a place of the queue; others are still asked whether there is one. */
  readonly #calls = new Map<AgentCall, boolean>();

  /**
   * `permits`: the places of the queue, where other workers have calls waiting as well; null: there are
   * `maxQueueDepth` here alone. `evicted` is called with one that waits no more, because there is no place.
   */
  constructor(maxQueueDepth: number, permits: Permits | null, evicted: (call: AgentCall) => void) {
    this.#maxQueueDepth = maxQueueDepth;
    this.#permits = permits;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** What a call is told that finds no place. */
  get refusal(): AgentOutcome {
    const waiting = Math.max(this.#calls.size, this.#permits?.takenByAll ?? 0);
    const limit = agentQueueLimit(this.#maxQueueDepth, waiting);
    return failedOutcome('queue_full', `${waiting} calls are waiting already`, limit);
  }

  /** Takes a place for a call that is added next, where it is not full. */
  take(): PermitOutcome {
    if (this.#permits !== null) return this.#permits.take();
    return this.#calls.size >= this.#maxQueueDepth ? 'full' : 'taken';
  }

  add(call: AgentCall, place: Exclude<PermitOutcome, 'full'>): void {
    this.#calls.set(call, place === 'taken');
    if (place === 'unknown' && this.#permits !== null) void this.#ask(call, this.#permits);
  }

  /** Nothing where it does not wait. */
  delete(call: AgentCall): void {
    const hasPlace = this.#calls.get(call);
    this.#calls.delete(call);
    if (hasPlace === true) this.#permits?.giveBack();
  }

  [Symbol.iterator](): IterableIterator<AgentCall> {
    return this.#calls.keys();
  }

  /** No more calls come. */
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
