import fc from 'fast-check';
import { expect, it } from 'vitest';
import { takeTokens } from '../../../../../src/domain/gateway/rate-limiting/take-tokens.js';
import type { RateLimit, TokenBucket } from '../../../../../src/domain/shared/token-bucket.js';
import { expectModelAgreement } from '../../../../support/shared/model-run.js';

/** A model of a limit that remembers all allowed requests, and bounds their number between any two moments. */
class NaiveLimit {
  readonly #limit: RateLimit;
  /** Ascending moments: a clock that goes back stands still. */
  readonly #letThrough: number[] = [];

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  allows(nowMs: number): boolean {
    const { requestsPerSecond, burst } = this.#limit;
    const thenMs = this.#moment(nowMs);
    return this.#letThrough.every((sinceMs, index) => {
      const count = this.#letThrough.length - index + 1;
      return count <= burst + ((thenMs - sinceMs) * requestsPerSecond) / 1000 + 1e-9;
    });
  }

  letThrough(nowMs: number): void {
    this.#letThrough.push(this.#moment(nowMs));
  }

  #moment(nowMs: number): number {
    return Math.max(nowMs, this.#letThrough.at(-1) ?? Number.NEGATIVE_INFINITY);
  }
}

interface Model {
  readonly limits: readonly NaiveLimit[];
  nowMs: number;
}

interface Real {
  readonly limits: readonly RateLimit[];
  readonly buckets: (TokenBucket | null)[];
}

class MoveClock implements fc.Command<Model, Real> {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  check(): boolean {
    return true;
  }

  run(model: Model): void {
    model.nowMs += this.#ms;
  }

  toString(): string {
    return `move the clock by ${this.#ms} ms`;
  }
}

class Take implements fc.Command<Model, Real> {
  readonly #wanted: readonly boolean[];

  constructor(wanted: readonly boolean[]) {
    this.#wanted = wanted;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, { limits, buckets }: Real): void {
    const { nowMs } = model;
    const places = limits.map((_, place) => place).filter((place) => this.#wanted[place]);
    const naive = places.map((place) => model.limits[place] as NaiveLimit);
    const taken = takeTokens(
      places.map((place) => buckets[place] ?? null),
      places.map((place) => ({ limit: limits[place] as RateLimit })),
      nowMs,
    );
    expect(taken.kind === 'taken').toBe(naive.every((limit) => limit.allows(nowMs)));
    if (taken.kind === 'taken') {
      for (const [index, place] of places.entries()) buckets[place] = taken.buckets[index] as TokenBucket;
      for (const limit of naive) limit.letThrough(nowMs);
      return;
    }
    const { refusedBy, waitMs, left } = taken;
    expect((naive[refusedBy] as NaiveLimit).allows(nowMs + waitMs - 1)).toBe(false);
    for (const limit of naive) expect(limit.allows(nowMs + waitMs)).toBe(true);
    for (const [index, limit] of naive.entries()) {
      if (limit.allows(nowMs)) expect(left[index]).toBeGreaterThanOrEqual(1 - 1e-9);
      else expect(left[index]).toBeLessThan(1);
    }
  }

  toString(): string {
    return `take of ${this.#wanted.map((is, place) => (is ? place : '-')).join('')}`;
  }
}

it('several buckets behave like a model with a full record, for any clock', () => {
  const limit = fc.record({
    requestsPerSecond: fc.constantFrom(0.5, 1, 2, 5, 20, 1_000),
    burst: fc.integer({ min: 1, max: 6 }),
  });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }).map((wanted) => new Take(wanted)) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 700 }).map((ms) => new MoveClock(ms)) },
    { weight: 1, arbitrary: fc.integer({ min: -2_000, max: 2_000 }).map((ms) => new MoveClock(ms)) },
  );
  fc.assert(
    fc.property(
      fc.array(limit, { minLength: 3, maxLength: 3 }),
      fc.commands([step], { maxCommands: 80 }),
      (limits, steps) => {
        const model: Model = { limits: limits.map((each) => new NaiveLimit(each)), nowMs: 10_000 };
        expectModelAgreement(() => ({ model, real: { limits, buckets: [null, null, null] } }), steps);
      },
    ),
    { numRuns: 500 },
  );
});
