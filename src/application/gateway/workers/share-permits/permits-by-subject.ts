import type { PermitKind } from '../../../../domain/gateway/limits/permit-limits.js';
import type { PermitBook, Permits } from '../../../ports/gateway/permits.js';

/** The permits of one client, and the number of holders. */
class SubjectPermits {
  holders = 1;

  constructor(readonly permits: Permits) {}
}

/** The permits of clients. A client without holders uses no memory. */
export class PermitsBySubject {
  readonly #book: PermitBook;
  readonly #kind: PermitKind;
  readonly #held = new Map<string, SubjectPermits>();

  constructor(book: PermitBook, kind: PermitKind) {
    this.#book = book;
    this.#kind = kind;
  }

  /** Number of clients with holders. */
  get size(): number {
    return this.#held.size;
  }

  /** Holds the permits of a client. Call `release` as often. */
  hold(subject: string): Permits {
    const held = this.#held.get(subject);
    if (held !== undefined) {
      held.holders += 1;
      return held.permits;
    }
    const permits = this.#book.open(this.#kind, subject);
    this.#held.set(subject, new SubjectPermits(permits));
    return permits;
  }

  /** INVARIANT: it was held, and its permits have been given back. */
  release(subject: string): void {
    const held = this.#held.get(subject);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#held.delete(subject);
    held.permits.close();
  }
}
