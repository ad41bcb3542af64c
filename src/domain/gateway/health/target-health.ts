import type { Result } from '../../shared/result.js';

/** Consecutive checks that change the state of a target; at least 1. */
export interface HealthThresholds {
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/** The health of a target. */
export interface TargetHealth {
  readonly healthy: boolean;
  /** The error of the last failed check; null while healthy. */
  readonly lastError: string | null;
  /** When it became unhealthy, in milliseconds since the Unix epoch; null while it is healthy. */
  readonly sinceMs: number | null;
  /** Whether a check of the current kind has completed. */
  readonly checked: boolean;
  /** Consecutive checks that contradict `healthy`. */
  readonly against: number;
}

/** An unchecked target counts as healthy. */
export const initialHealth: TargetHealth = {
  healthy: true,
  lastError: null,
  sinceMs: null,
  checked: false,
  against: 0,
};

/** Prepares for another kind of check. The state stays until the first such check, which decides alone. */
export const restartChecks = (health: TargetHealth): TargetHealth => ({ ...health, checked: false, against: 0 });

const well: TargetHealth = { ...initialHealth, checked: true };

/**
 * Applies the result of a check. The first check decides alone. Returns the same object if nothing has changed.
 *
 * @param result the error says why the target is unhealthy
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
