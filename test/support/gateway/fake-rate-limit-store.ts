import type {
  RateLimitAnswer,
  RateLimitCharge,
  RateLimitStore,
} from '../../../src/application/ports/shared/rate-limit-store.js';

/** A store that gives the answer that the test sets, and keeps what it was asked. */
export class FakeRateLimitStore implements RateLimitStore {
  readonly taken: (readonly RateLimitCharge[])[] = [];
  closed = 0;
  held: Readonly<Record<string, number>> = {};
  answer: (charges: readonly RateLimitCharge[]) => RateLimitAnswer | Promise<RateLimitAnswer> = (charges) => ({
    kind: 'taken',
    left: charges.map(() => 1),
  });

  take(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer> {
    this.taken.push(charges);
    return this.answer(charges);
  }

  sizes(): Readonly<Record<string, number>> {
    return this.held;
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}
