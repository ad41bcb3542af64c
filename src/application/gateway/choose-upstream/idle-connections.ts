import type { IdleAllowance } from '../../ports/gateway/upstream-client.js';

/** Counts the connections of one upstream that nothing uses. */
export class IdleConnections implements IdleAllowance {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isNone(): boolean {
    return this.#limit === 0;
  }

  take(): boolean {
    if (this.#taken >= this.#limit) return false;
    this.#taken += 1;
    return true;
  }

  giveBack(): void {
    this.#taken = Math.max(0, this.#taken - 1);
  }
}
