import type { Socket } from 'node:net';
import type { ConnectionDeadline } from './connection-deadline.js';
import { WriteProgress } from './write-progress.js';

/** What an exchange waits for the client for, by the deadline of its connection: its body, and that it takes the response. */
export class ExchangeWaits {
  readonly #deadline: ConnectionDeadline;
  readonly #writing: WriteProgress;
  /** Until when the client is waited for by whoever reads the body; Infinity: nobody waits. */
  #bodyDueMs = Number.POSITIVE_INFINITY;
  /** There is an exchange: else the deadline is for something else. */
  #isOn = false;

  constructor(socket: Socket, deadline: ConnectionDeadline) {
    this.#deadline = deadline;
    this.#writing = new WriteProgress(socket);
  }

  begin(): void {
    this.#isOn = true;
    this.#deadline.clear();
  }

  end(): void {
    this.#isOn = false;
    this.#bodyDueMs = Number.POSITIVE_INFINITY;
    this.#writing.end();
  }

  /** Infinity: it is awaited no more. */
  awaitBody(dueMs: number): void {
    this.#bodyDueMs = dueMs;
    this.#arm();
  }

  /** Resolves when the socket takes more, or with the exchange; the client has to take something until then, and ever again. */
  drained(dueMs: number): Promise<void> {
    const drained = this.#writing.drained(dueMs);
    this.#arm();
    return drained;
  }

  /** All of the response was written. `told`: see `WriteProgress`. */
  flush(dueMs: number, told: (() => void) | null): void {
    this.#writing.flush(dueMs, told);
    this.#arm();
  }

  /** Whether the client takes nothing. `nextDueMs`: when it is looked at again. */
  isStuck(nowMs: number, nextDueMs: number): boolean {
    const isStuck = this.#writing.dueMs <= nowMs && !this.#writing.look(nextDueMs);
    this.#arm();
    return isStuck;
  }

  /** Whether the body has been waited for as long as it may be: then it is so no more. */
  isBodyLate(nowMs: number): boolean {
    const isLate = this.#bodyDueMs <= nowMs;
    if (isLate) this.awaitBody(Number.POSITIVE_INFINITY);
    return isLate;
  }

  /** Sets the deadline to what is due first. */
  #arm(): void {
    if (!this.#isOn) return;
    const dueMs = Math.min(this.#bodyDueMs, this.#writing.dueMs);
    if (dueMs === Number.POSITIVE_INFINITY) this.#deadline.clear();
    else this.#deadline.set(dueMs);
  }
}
