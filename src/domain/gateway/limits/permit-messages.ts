/** The pending messages of the supervisor to one worker. */
export class PermitOutbox {
  /** Whether the worker uses static shares. It has none until it knows all contended keys. */
  hasJoined = false;
  #sent = 0;
  #messages: PermitMessage[] = [];
  #contended: readonly string[] | null = null;
  /** Released keys with the number of their batch, until the worker confirms them. */
  readonly #released = new Map<string, number>();

  /** Queues a message. Returns the number of the batch that will carry it. */
  enqueue(message: PermitMessage): number {
    this.#messages.push(message);
    const number = this.#sent + 1;
    if (message.kind === 'released') this.#released.set(message.key, number);
    return number;
  }

  /** Answers a worker that joins: the next batch has all contended keys. */
  answerJoin(contended: readonly string[]): void {
    this.hasJoined = true;
    this.#contended = contended;
  }

  /** Notes the number of the last batch that the worker has read. */
  confirm(number: number): void {
    for (const [key, released] of this.#released) if (released <= number) this.#released.delete(key);
  }

  /** Whether the worker does not yet know that a key was released. Its reports about the key are then outdated. */
  isOutdated(key: string): boolean {
    return this.#released.has(key);
  }

  /** Removes and returns the next batch; null: nothing is pending. */
  drain(): PermitMessageBatch | null {
    const [messages, contended] = [this.#messages, this.#contended];
    if (messages.length === 0 && contended === null) return null;
    this.#messages = [];
    this.#contended = null;
    this.#sent += 1;
    return { number: this.#sent, contended, messages };
  }
}

/** A worker's report about one key. */
export interface PermitReport {
  readonly key: string;
  /** The limit that the worker knows. */
  readonly limit: number;
  /** Permits that it keeps; it returns the rest. */
  readonly held: number;
  /** Held permits that are in use. */
  readonly used: number;
  /** Additional permits that it needs. */
  readonly wants: number;
  /** Whether the wants stay until they are met. Otherwise they can be refused. */
  readonly isPatient: boolean;
}

/** The message of a worker. */
export interface PermitReports {
  /** Number of the last batch received from the supervisor. */
  readonly seen: number;
  /** Requests all contended keys, after a start or a change of limits. */
  readonly isJoining: boolean;
  readonly reports: readonly PermitReport[];
}

/** A message to a worker about one key. */
export type PermitMessage =
  /** Static shares end: report, and keep at most `slack` unused permits. */
  | { readonly kind: 'recall'; readonly key: string; readonly slack: number }
  | { readonly kind: 'grant'; readonly key: string; readonly permits: number; readonly slack: number }
  /** None is free. `inUse` counts all workers. Patient wants stay. */
  | { readonly kind: 'refused'; readonly key: string; readonly inUse: number }
  /** After a refusal: permits may be available again. */
  | { readonly kind: 'available'; readonly key: string }
  /** Sets how many unused permits the worker may keep. */
  | { readonly kind: 'slack'; readonly key: string; readonly slack: number }
  /** Static shares apply again. */
  | { readonly kind: 'released'; readonly key: string };

/** A batch of messages from the supervisor. */
export interface PermitMessageBatch {
  /** Number of the batch for this worker, from 1. */
  readonly number: number;
  /** All contended keys, in response to `isJoining`. */
  readonly contended: readonly string[] | null;
  readonly messages: readonly PermitMessage[];
}
