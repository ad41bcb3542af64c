import { initialHealth, type TargetHealth } from '../../domain/health/target-health.js';
import { letBackIn, notEjected, type TargetEjection } from '../../domain/load-balancing/target-ejection.js';

/**
 * What is known of one target of an upstream. It outlives the configuration that it was begun under: both generations of
 * a reload write the same one.
 */
export class TargetLedger {
  /** Requests that it is busy with. */
  active = 0;
  totalRequests = 0;
  failedRequests = 0;
  /** Somebody wants no new requests to go there. */
  drained = false;
  ejection: TargetEjection = notEjected;
  #health: TargetHealth = initialHealth;

  /** What its active checks have come to. */
  get health(): TargetHealth {
    return this.#health;
  }

  /** A check that finds it well after it was not is more than a guess: nothing is held against it any more. */
  noteHealth(health: TargetHealth): void {
    const isBack = health.healthy && !this.#health.healthy;
    this.#health = health;
    if (isBack) this.ejection = letBackIn(this.ejection);
  }
}
