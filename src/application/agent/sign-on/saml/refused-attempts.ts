/** A browser that is sent back with a document that is refused may try again, but not for ever. */
const attemptsOfRequest = 5;

/** Requests that are remembered; the one whose document was refused longest ago makes way. */
const requestsRemembered = 10_000;

/** Counts the documents that were refused of each request of ours. */
export class RefusedAttempts {
  readonly #refused = new Map<string, number>();

  /**
   * One more document for this request was refused for its own fault.
   *
   * @returns true: the fifth or one after it; the request is to be answered no more
   */
  noted(handleHash: string): boolean {
    const refused = Math.min((this.#refused.get(handleHash) ?? 0) + 1, attemptsOfRequest);
    this.#refused.delete(handleHash);
    this.#refused.set(handleHash, refused);
    if (this.#refused.size > requestsRemembered) this.#refused.delete(this.#refused.keys().next().value as string);
    return refused === attemptsOfRequest;
  }
}
