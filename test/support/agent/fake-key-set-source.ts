import type { KeySetSpec } from '../../../src/application/agent/keys/load-key-set.js';
import type { KeySetFailure, KeySetSource } from '../../../src/application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';
import type { JsonValue } from '../../../src/domain/shared/json.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';

/** The keys that are published at a URL, for the algorithms that they name. */
export const keysAt = (url: string): KeySetSpec => ({ location: { kind: 'url', url }, algorithms: null });

/**
 * A provider's key set, which a test publishes; it counts who asks, and can be made to fail or to keep them waiting.
 */
export class FakeKeySetSource implements KeySetSource {
  readonly urls: string[] = [];
  /** Requests without an answer, at most at one time. */
  mostAtOnce = 0;
  /** Requests that were given up before their answer. */
  cancelled = 0;
  /** Nobody gets an answer until `letGo`. */
  isHeld = false;
  #answer: Result<JsonValue, KeySetFailure> = ok({ keys: [] });
  readonly #unanswered = new Set<() => void>();

  get requests(): number {
    return this.urls.length;
  }

  publish(...keys: readonly JsonValue[]): void {
    this.#answer = ok({ keys });
  }

  answerWith(json: JsonValue): void {
    this.#answer = ok(json);
  }

  goDown(): void {
    this.#answer = err({ code: 'unreachable', detail: 'nobody listens' });
  }

  /** Answers everyone who waits with what is published now. */
  letGo(): void {
    this.isHeld = false;
    for (const answer of [...this.#unanswered]) answer();
  }

  /** Requests that wait for an answer. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  async fetch(url: string, cancellation: Cancellation): Promise<Result<JsonValue, KeySetFailure>> {
    this.urls.push(url);
    return new Promise((resolve) => {
      const settle = (answer: Result<JsonValue, KeySetFailure>) => {
        this.#unanswered.delete(answerNow);
        resolve(answer);
      };
      const answerNow = () => settle(this.#answer);
      this.#unanswered.add(answerNow);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#unanswered.size);
      cancellation.onCancel(() => {
        if (!this.#unanswered.has(answerNow)) return;
        this.cancelled += 1;
        settle(err({ code: 'cancelled', detail: 'the fetch was cancelled' }));
      });
      if (!this.isHeld) answerNow();
    });
  }
}
