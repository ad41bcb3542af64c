import type { Logger } from '../../ports/shared/logger.js';

/** Tracks the warm-up of the verifier, which runs in the background. */
export class WarmUp {
  readonly #listeners = new Set<() => void>();
  #isDone = false;

  constructor(warmUp: () => Promise<boolean>, logger: Logger) {
    void warmUp().then((isWarm) => {
      this.#isDone = true;
      if (!isWarm) logger.warn('warming up the verifier of SAML documents failed: the first sign-on takes longer');
      for (const listener of this.#listeners) listener();
    });
  }

  /** Whether the warm-up has ended, with or without success. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Calls the listener when the warm-up ends. The result unsubscribes it. */
  onDone(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
