import type { PermitMessage, PermitWords } from './permit-messages.js';

/** One worker as the supervisor's side sees it, and what it is to be told with the next message. */
export class PermitOutbox {
  /** Whether it uses static shares: until it knows what is contended, it has none. */
  hasJoined = false;
  #sent = 0;
  #words: PermitMessage[] = [];
  #contended: readonly string[] | null = null;
  /** Keys that were released, by the message that said so, until an answer shows that it has come. */
  readonly #released = new Map<string, number>();

  /** Gives the number of the message that it goes with. */
  tell(word: PermitMessage): number {
    this.#words.push(word);
    const number = this.#sent + 1;
    if (word.kind === 'released') this.#released.set(word.key, number);
    return number;
  }

  joined(contended: readonly string[]): void {
    this.hasJoined = true;
    this.#contended = contended;
  }

  /** The worker has read so many messages. */
  seen(number: number): void {
    for (const [key, released] of this.#released) if (released <= number) this.#released.delete(key);
  }

  /** Whether the worker does not know yet that a key was released: what it says of it has no meaning any more. */
  isOutdated(key: string): boolean {
    return this.#released.has(key);
  }

  /** The next message; null where there is nothing to say. */
  drain(): PermitWords | null {
    const [words, contended] = [this.#words, this.#contended];
    if (words.length === 0 && contended === null) return null;
    this.#words = [];
    this.#contended = null;
    this.#sent += 1;
    return { number: this.#sent, contended, words };
  }
}
