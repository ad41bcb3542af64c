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

/** How a worker stands with one key. */
export interface PermitReport {
  readonly key: string;
  /** What the worker takes for the limit. */
  readonly limit: number;
  /** Permits that it holds from now on; what it had beyond that it has given up. */
  readonly held: number;
  /** Those of them that are in use. */
  readonly used: number;
  /** Permits that it needs beyond those. */
  readonly wants: number;
  /** Whether the wants stay until they are met. Others are refused where they cannot be met. */
  readonly isPatient: boolean;
}

/** What a worker says in one message. */
export interface PermitReports {
  /** Number of the last message of the supervisor that had come when this was written. */
  readonly seen: number;
  /** It wants to be told of all keys that are contended: it has begun, or its limits have changed. */
  readonly isJoining: boolean;
  readonly reports: readonly PermitReport[];
}

/** What a worker is told of one key. */
export type PermitMessage =
  /** Static shares hold no more: report, and keep no more that is not in use than `slack` from now on. */
  | { readonly kind: 'recall'; readonly key: string; readonly slack: number }
  | { readonly kind: 'grant'; readonly key: string; readonly permits: number; readonly slack: number }
  /** None is free. `inUse`: those of all workers. What is wanted patiently is still wanted. */
  | { readonly kind: 'refused'; readonly key: string; readonly inUse: number }
  /** After a refusal: there may be some again. */
  | { readonly kind: 'available'; readonly key: string }
  /** How many that are not in use may be kept from now on. */
  | { readonly kind: 'slack'; readonly key: string; readonly slack: number }
  /** Nobody needs more than static shares any longer: they hold again. */
  | { readonly kind: 'released'; readonly key: string };

/** What the supervisor says in one message. */
export interface PermitWords {
  /** Rises with each message to this worker; from 1. */
  readonly number: number;
  /** What `isJoining` is answered with: every key that is contended. */
  readonly contended: readonly string[] | null;
  readonly words: readonly PermitMessage[];
}
