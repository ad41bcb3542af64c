import type { Result } from '../../shared/result.js';

/** Checks in a row that it takes to change one's mind about a target; at least 1. */
export interface HealthThresholds {
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/** What the checks of a target have come to. */
export interface TargetHealth {
  readonly healthy: boolean;
  /** What the last check that failed has said; null while it is healthy. */
  readonly lastError: string | null;
  /** When it became unhealthy, in milliseconds since the Unix epoch; null while it is healthy. */
  readonly sinceMs: number | null;
  /** Whether any check of it is over, of the kind that it is looked at with now. */
  readonly checked: boolean;
  /** Checks in a row, up to now, that speak against `healthy`. */
  readonly against: number;
}

/** Of a target that nobody has looked at: it is taken to be well. */
export const initialHealth: TargetHealth = {
  healthy: true,
  lastError: null,
  sinceMs: null,
  checked: false,
  against: 0,
};

/** It is looked at in another way from now on: what is known holds until the first check of that way, which decides. */
export const toBeCheckedAnew = (health: TargetHealth): TargetHealth => ({ ...health, checked: false, against: 0 });

const well: TargetHealth = { ...initialHealth, checked: true };

/**
 * Takes in what a check has come to. The first check of a target decides by itself: nothing is known that it could be
 * weighed against. Gives the same object where nothing has changed.
 *
 * @param result the error says why the target is not well
 * @param nowMs milliseconds since the Unix epoch
 */
export const noteCheck = (
  health: TargetHealth,
  result: Result<void, string>,
  { healthyThreshold, unhealthyThreshold }: HealthThresholds,
  nowMs: number,
): TargetHealth => {
  const lastError = result.ok ? health.lastError : result.error;
  if (health.healthy === result.ok) {
    if (health.healthy) return health.checked && health.against === 0 ? health : well;
    const isSame = health.checked && health.against === 0 && health.lastError === lastError;
    return isSame ? health : { ...health, lastError, checked: true, against: 0 };
  }
  const against = health.against + 1;
  const threshold = health.healthy ? unhealthyThreshold : healthyThreshold;
  if (health.checked && against < threshold) return { ...health, against };
  return result.ok ? well : { healthy: false, lastError, sinceMs: nowMs, checked: true, against: 0 };
};
