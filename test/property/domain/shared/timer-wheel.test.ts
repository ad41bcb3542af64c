import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TimerWheel, type WheelTimer } from '../../../../src/domain/shared/timer-wheel.js';

type Act =
  | { readonly kind: 'set' | 'putOff'; readonly timer: number; readonly inMs: number }
  | { readonly kind: 'remove'; readonly timer: number }
  | { readonly kind: 'turn'; readonly afterMs: number };

const timers = 6;
const timer = fc.nat({ max: timers - 1 });
const delay = fc.oneof(
  fc.integer({ min: -50, max: 400 }),
  fc.integer({ min: 0, max: 5_000 }),
  fc.constant(Number.POSITIVE_INFINITY),
);

const byTimer = fc.oneof(
  fc.record({ kind: fc.constantFrom('set' as const, 'putOff' as const), timer, inMs: delay }),
  fc.record({ kind: fc.constant('remove' as const), timer }),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  byTimer,
  fc.record({ kind: fc.constant('turn' as const), afterMs: fc.oneof(fc.nat({ max: 150 }), fc.nat({ max: 3_000 })) }),
);

/** A model with a list of timers, which checks each expiry. */
class Model {
  nowMs: number;
  /** The tick of the last turn. */
  tick: number;
  readonly #tickMs: number;
  readonly #wheel: TimerWheel;
  readonly #timers: WheelTimer[];
  /** The ticks in which the current timers were set. */
  readonly #set = new Map<number, number>();
  readonly #scripts: readonly (readonly Act[])[];
  readonly #expirations: number[] = [];

  constructor(tickMs: number, slots: number, nowMs: number, scripts: readonly (readonly Act[])[]) {
    this.nowMs = nowMs;
    this.#tickMs = tickMs;
    this.tick = Math.floor(nowMs / tickMs);
    this.#wheel = new TimerWheel(tickMs, slots, nowMs);
    this.#scripts = scripts;
    this.#timers = Array.from({ length: timers }, (_, index) => ({
      dueMs: 0,
      slot: -1,
      next: null,
      previous: null,
      expired: () => this.#expired(index),
    }));
  }

  get expirations(): number {
    return this.#expirations.length;
  }

  do(one: Act): void {
    if (one.kind === 'turn') this.#turn(one.afterMs);
    else this.#change(one);
    expect(this.#wheel.size).toBe(this.#set.size);
  }

  #timer(index: number): WheelTimer {
    const found = this.#timers[index];
    if (found === undefined) throw new Error('no such timer');
    return found;
  }

  #change(one: Exclude<Act, { kind: 'turn' }>): void {
    const changed = this.#timer(one.timer);
    if (one.kind === 'remove') {
      this.#wheel.remove(changed);
      this.#set.delete(one.timer);
    } else if (one.kind === 'set') {
      this.#wheel.set(changed, this.nowMs + one.inMs);
      this.#set.set(one.timer, this.tick);
    } else if (this.#set.has(one.timer)) changed.dueMs = Math.max(changed.dueMs, this.nowMs + one.inMs);
  }

  #expired(index: number): void {
    this.#expirations.push(index);
    expect(this.#set.has(index)).toBe(true);
    expect(this.#timer(index).dueMs).toBeLessThanOrEqual(this.nowMs);
    expect(this.#timer(index).slot).toBe(-1);
    this.#set.delete(index);
    // Expiring timers act too, but with a limit, because they set one another.
    const script = this.#scripts[this.#expirations.length % this.#scripts.length] ?? [];
    if (this.#expirations.length < 200) for (const one of script) if (one.kind !== 'turn') this.#change(one);
  }

  #turn(afterMs: number): void {
    this.nowMs += afterMs;
    this.tick = Math.max(this.tick, Math.floor(this.nowMs / this.#tickMs));
    this.#wheel.turn(this.nowMs);
    for (const [index, tick] of this.#set) {
      const dueTick = Math.floor(this.#timer(index).dueMs / this.#tickMs);
      // Every remaining timer was set in this tick, or is due after it.
      expect(tick === this.tick || dueTick >= this.tick).toBe(true);
    }
  }
}

it('a timer wheel behaves like a model with a list', () => {
  let expirations = 0;
  fc.assert(
    fc.property(
      fc.constantFrom<[number, number]>([100, 4], [100, 1], [1, 7], [250, 64]),
      fc.nat({ max: 10_000 }),
      fc.array(fc.array(byTimer, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.array(act, { maxLength: 60, size: 'max' }),
      ([tickMs, slots], nowMs, scripts, acts) => {
        const model = new Model(tickMs, slots, nowMs, scripts);
        for (const one of acts) model.do(one);
        expirations += model.expirations;
      },
    ),
    { numRuns: 1_000 },
  );
  expect(expirations).toBeGreaterThan(1_000);
});
