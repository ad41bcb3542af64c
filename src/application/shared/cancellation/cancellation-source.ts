import type { Cancellation } from '../../ports/shared/cancellation.js';

/** Whether the operation was cancelled. */
export const isCancelled = (cancellation: Cancellation): boolean => {
  let called = false;
  const end = cancellation.onCancel(() => {
    called = true;
  });
  end();
  return called;
};

/** A cancellation that its owner triggers. */
export class CancellationSource implements Cancellation {
  /** Null without listeners, the usual case. */
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

  /** Idempotent. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const listeners = [...(this.#listeners ?? [])];
    this.#listeners = null;
    for (const listener of listeners) listener();
  }
}
