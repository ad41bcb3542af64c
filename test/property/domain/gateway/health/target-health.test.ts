import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type HealthThresholds,
  initialHealth,
  noteCheck,
  type TargetHealth,
} from '../../../../../src/domain/gateway/health/target-health.js';
import { err, ok, type Result } from '../../../../../src/domain/shared/result.js';
import { expectModelAgreement } from '../../../../support/shared/model-run.js';

interface Check {
  readonly result: Result<void, string>;
  readonly atMs: number;
}

/** A model that remembers every check and derives the health from all of them. */
class NaiveHealth {
  thresholds: HealthThresholds;
  nowMs = 0;
  readonly checks: Check[] = [];
  #healthy = true;
  #changedAt = 0;

  constructor(thresholds: HealthThresholds) {
    this.thresholds = thresholds;
  }

  note(result: Result<void, string>): void {
    this.checks.push({ result, atMs: this.nowMs });
    const { healthyThreshold, unhealthyThreshold } = this.thresholds;
    const sinceChange = this.checks.slice(this.#changedAt);
    const decisive = sinceChange.slice(-(this.#healthy ? unhealthyThreshold : healthyThreshold));
    const isEnough = decisive.length === (this.#healthy ? unhealthyThreshold : healthyThreshold);
    const allAgainst = decisive.every((check) => check.result.ok !== this.#healthy);
    if (this.checks.length === 1 ? result.ok !== this.#healthy : isEnough && allAgainst) {
      this.#healthy = !this.#healthy;
      this.#changedAt = this.checks.length;
    }
  }

  get told(): Pick<TargetHealth, 'healthy' | 'lastError' | 'sinceMs'> {
    if (this.#healthy) return { healthy: true, lastError: null, sinceMs: null };
    const failed = this.checks.findLast(({ result }) => !result.ok)?.result;
    return {
      healthy: false,
      lastError: failed?.ok === false ? failed.error : null,
      sinceMs: this.checks[this.#changedAt - 1]?.atMs ?? null,
    };
  }
}

interface Real {
  health: TargetHealth;
}

abstract class Step implements fc.Command<NaiveHealth, Real> {
  check(_model: Readonly<NaiveHealth>): boolean {
    return true;
  }

  run(model: NaiveHealth, real: Real): void {
    this.take(model, real);
    expect(real.health).toMatchObject(model.told);
  }

  abstract take(model: NaiveHealth, real: Real): void;
}

class Note extends Step {
  readonly #error: string | null;

  constructor(error: string | null) {
    super();
    this.#error = error;
  }

  override take(model: NaiveHealth, real: Real): void {
    const result = this.#error === null ? ok(undefined) : err(this.#error);
    model.note(result);
    real.health = noteCheck(real.health, result, model.thresholds, model.nowMs);
  }

  override toString(): string {
    return this.#error ?? 'well';
  }
}

class MoveClock extends Step {
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  override take(model: NaiveHealth): void {
    model.nowMs += this.#ms;
  }

  override toString(): string {
    return `clock ${this.#ms}`;
  }
}

it('behaves like a model that remembers every check, for any clock', () => {
  const threshold = fc.integer({ min: 1, max: 5 });
  const steps = fc.commands(
    [
      fc.constant(new Note(null)),
      fc.constantFrom('refused', 'status 503').map((error) => new Note(error)),
      fc.integer({ min: -100_000, max: 100_000 }).map((ms) => new MoveClock(ms)),
    ],
    { maxCommands: 60 },
  );
  const thresholds = fc.record({ healthyThreshold: threshold, unhealthyThreshold: threshold });
  fc.assert(
    fc.property(thresholds, steps, (given, commands) => {
      expectModelAgreement(() => ({ model: new NaiveHealth(given), real: { health: initialHealth } }), commands);
    }),
    { numRuns: 500 },
  );
});
