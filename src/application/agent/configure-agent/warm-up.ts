import type { Logger } from '../../ports/shared/logger.js';

/** Watches over the one warm-up of the verifier, which runs beside the start. */
export class WarmUp {
  readonly #listeners = new Set<() => void>();
  #isDone = false;

  constructor(warmUp: () => Promise<boolean>, logger: Logger) {
    void warmUp().then((isWarm) => {
      this.#isDone = true;
      if (!isWarm) logger.warn('the verifier of SAML documents could not be warmed up: the first sign-on takes longer');
      for (const listener of this.#listeners) listener();
    });
  }

  /** The first sign-on waits for nothing that this was to load. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Calls back once it is done; the result ends that. */
  onDone(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
