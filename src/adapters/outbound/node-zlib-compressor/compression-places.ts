/** Bodies that one process compresses at the same time. An encoder takes up to 2 MB. */
export const maxCompressedBodies = 64;

/**
 * Jobs that one process has in the thread pool at the same time. The pool has four threads, which name lookups and file
 * reads use too.
 */
const maxJobs = 2;

/** Limits how many bodies are being compressed, and how many of them use a thread. */
export class CompressionPlaces {
  readonly #maxBodies: number;
  #bodies = 0;
  #jobs = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(maxBodies = maxCompressedBodies) {
    this.#maxBodies = maxBodies;
  }

  /** Bodies that are being compressed. */
  get bodies(): number {
    return this.#bodies;
  }

  /** Takes a place for a body. False: there is none. */
  take(): boolean {
    if (this.#bodies >= this.#maxBodies) return false;
    this.#bodies += 1;
    return true;
  }

  release(): void {
    this.#bodies -= 1;
  }

  /** Takes a place for a job, of which a body has one at a time. Undefined: it may start now. */
  enter(): Promise<void> | undefined {
    if (this.#jobs < maxJobs) {
      this.#jobs += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#jobs -= 1;
    else next();
  }
}
