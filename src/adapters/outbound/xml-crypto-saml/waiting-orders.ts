import { err } from '../../../domain/shared/result.js';
import type { VerificationOrder } from './verification-order.js';

/** How many may wait, and for how long. */
export interface WaitingLimits {
  readonly waiting: number;
  /** Characters of their documents together. */
  readonly waitingCharacters: number;
  readonly deadlineMs: number;
}

/** Orders of one kind that wait for a thread, in the order in which they came. */
export class WaitingOrders {
  readonly #limits: WaitingLimits;
  readonly #orders = new Set<VerificationOrder>();
  #characters = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0;
  }

  /** Takes it in, until it is taken out, answered or has waited too long; where too much waits, it is answered with `overloaded`. */
  add(order: VerificationOrder): void {
    const { waiting, waitingCharacters, deadlineMs } = this.#limits;
    if (this.#orders.size >= waiting || this.#characters + order.length > waitingCharacters) {
      order.answer(err('overloaded'));
      return;
    }
    this.#orders.add(order);
    this.#characters += order.length;
    order.startWaiting(deadlineMs, () => this.remove(order));
  }

  /** The one that has waited longest; null: none waits. */
  take(): VerificationOrder | null {
    const [first] = this.#orders;
    if (first === undefined) return null;
    this.remove(first);
    first.endWaiting();
    return first;
  }

  remove(order: VerificationOrder): void {
    if (this.#orders.delete(order)) this.#characters -= order.length;
  }

  /** Answers all of them with `verifier_failed`. */
  clear(): void {
    for (const order of this.#orders) order.answer(err('verifier_failed'));
    this.#orders.clear();
    this.#characters = 0;
  }
}
