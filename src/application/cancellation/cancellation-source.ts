import type { Cancellation } from '../ports/cancellation.js';

/** A cancellation that its owner brings about. */
export class CancellationSource implements Cancellation {
  readonly #listeners = new Set<() => void>();
  #isCancelled = false;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  onCancel(listener: () => void): () => void {
    const own = () => listener();
    if (this.#isCancelled) own();
    else this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Calling it again changes nothing. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}
