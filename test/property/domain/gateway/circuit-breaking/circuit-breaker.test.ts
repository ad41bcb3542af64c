import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  type CircuitState,
  circuitStateOf,
  closedBreaker,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
} from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';
import { expectModelAgreement } from '../../../../support/shared/model-run.js';

type Outcome = 'success' | 'failure' | 'abandoned';

/** A model of a breaker that remembers the allowed calls since its last change of state. */
class NaiveBreaker {
  readonly #rules: CircuitBreakerRules;
  nowMs = 0;
  /** All calls in flight. */
  out: number[] = [];
  #made = 0;
  #state: CircuitState = 'closed';
  #openedAtMs = 0;
  #probedAtMs = 0;
  #letThrough = new Set<number>();
  #outcomes: Outcome[] = [];

  constructor(rules: CircuitBreakerRules) {
    this.#rules = rules;
  }

  get state(): CircuitState {
    const isOver = this.nowMs - this.#openedAtMs >= this.#rules.openMs;
    return this.#state === 'open' && isOver ? 'half_open' : this.#state;
  }

  call(): boolean {
    const state = this.state;
    if (state !== this.#state) this.#turn(state);
    const isLate = this.nowMs - this.#probedAtMs >= this.#rules.openMs;
    if (state === 'open') return false;
    if (state === 'half_open' && this.#letThrough.size >= this.#rules.probes && !isLate) return false;
    this.#probedAtMs = this.nowMs;
    this.#made += 1;
    this.out.push(this.#made);
    this.#letThrough.add(this.#made);
    return true;
  }

  end(call: number, outcome: Outcome): void {
    this.out = this.out.filter((other) => other !== call);
    if (!this.#letThrough.delete(call)) return;
    if (outcome !== 'abandoned') this.#outcomes.push(outcome);
    const last = this.#outcomes.slice(-this.#rules.failureThreshold);
    const hasFailedEnough = last.length === this.#rules.failureThreshold && !last.includes('success');
    if (this.#state === 'half_open' && outcome === 'success') this.#turn('closed');
    else if (outcome === 'failure' && (this.#state === 'half_open' || hasFailedEnough)) {
      this.#openedAtMs = this.nowMs;
      this.#turn('open');
    }
  }

  #turn(state: CircuitState): void {
    this.#state = state;
    this.#letThrough = new Set();
    this.#outcomes = [];
  }
}

/** The domain's breaker, with the period of each call. */
interface Real {
  breaker: CircuitBreaker;
  readonly rules: CircuitBreakerRules;
  readonly periods: Map<number, number>;
}

abstract class Step implements fc.Command<NaiveBreaker, Real> {
  check(_model: Readonly<NaiveBreaker>): boolean {
    return true;
  }

  run(model: NaiveBreaker, real: Real): void {
    this.take(model, real);
    expect(circuitStateOf(real.breaker, model.nowMs)).toBe(model.state);
  }

  abstract take(model: NaiveBreaker, real: Real): void;
}

class Wait extends Step {
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  override take(model: NaiveBreaker): void {
    model.nowMs += this.#ms;
  }

  override toString(): string {
    return `wait ${this.#ms}`;
  }
}

class Call extends Step {
  override take(model: NaiveBreaker, real: Real): void {
    const { state, allowed } = mayCall(real.breaker, real.rules, model.nowMs);
    real.breaker = state;
    expect(allowed).toBe(model.call());
    if (allowed) real.periods.set(model.out.at(-1) as number, state.period);
  }

  override toString(): string {
    return 'call';
  }
}

class End extends Step {
  readonly #which: number;
  readonly #outcome: Outcome;

  constructor(which: number, outcome: Outcome) {
    super();
    this.#which = which;
    this.#outcome = outcome;
  }

  override check(model: Readonly<NaiveBreaker>): boolean {
    return model.out.length > 0;
  }

  override take(model: NaiveBreaker, real: Real): void {
    const call = model.out[this.#which % model.out.length] as number;
    model.end(call, this.#outcome);
    if (real.periods.get(call) !== real.breaker.period) return;
    if (this.#outcome === 'success') real.breaker = noteSuccess(real.breaker);
    else if (this.#outcome === 'failure') real.breaker = noteFailure(real.breaker, real.rules, model.nowMs);
    else real.breaker = noteAbandoned(real.breaker);
  }

  override toString(): string {
    return `${this.#outcome} of ${this.#which}`;
  }
}

const rulesArbitrary = fc.record({
  failureThreshold: fc.integer({ min: 1, max: 4 }),
  openMs: fc.integer({ min: 1, max: 20 }),
  probes: fc.integer({ min: 1, max: 3 }),
});

const commands = fc.commands(
  [
    fc.integer({ min: 0, max: 15 }).map((ms) => new Wait(ms)),
    fc.constant(new Call()),
    fc
      .tuple(fc.nat({ max: 5 }), fc.constantFrom<Outcome>('success', 'failure', 'failure', 'abandoned'))
      .map(([which, outcome]) => new End(which, outcome)),
  ],
  { maxCommands: 60 },
);

it('behaves like a model that remembers every call', () => {
  fc.assert(
    fc.property(rulesArbitrary, commands, (rules, steps) => {
      expectModelAgreement(
        () => ({ model: new NaiveBreaker(rules), real: { breaker: closedBreaker, rules, periods: new Map() } }),
        steps,
      );
    }),
    { numRuns: 500 },
  );
});
