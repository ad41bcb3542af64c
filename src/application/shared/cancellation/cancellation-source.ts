import type { Cancellation } from '../../ports/shared/cancellation.js';

/** A cancellation that its owner brings about. */
export class CancellationSource implements Cancellation {
  /** Null: nobody listens, as nearly always. */
  #listeners: Set<() => void> | null = null;
  #isCancelled = false;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  onCancel(listener: () => void): () => void {
    const own = () => listener();
    if (this.#isCancelled) {
      own();
      return () => undefined;
    }
    const listeners = this.#listeners ?? new Set();
    this.#listeners = listeners;
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  /** Calling it again changes nothing. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const listeners = [...(this.#listeners ?? [])];
    this.#listeners = null;
    for (const listener of listeners) listener();
  }
}
