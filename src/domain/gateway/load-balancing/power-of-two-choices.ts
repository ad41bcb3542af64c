import type { BalancedTarget } from './balanced-target.js';
import { compareLoads } from './least-connections.js';

/** The candidate at a point of the cumulative weights, without the candidate `excluded`. */
const at = <Target extends BalancedTarget>(
  candidates: readonly Target[],
  point: number,
  excluded: Target | null,
): Target | null => {
  let end = 0;
  let last: Target | null = null;
  for (const candidate of candidates) {
    if (candidate === excluded) continue;
    end += candidate.weight;
    last = candidate;
    if (point < end) return candidate;
  }
  // The product with a fraction just below 1 may round up to the total.
  return last;
};

/**
 * Draws two candidates by weight and selects the one with the lower load for its weight, or the first if they are
 * equal. The balance is almost as good as that of a full comparison, and independent gateways do not all choose the
 * same target. Null: no candidate.
 *
 * @param first a random number, at least 0 and below 1; `second` another one
 */
export const powerOfTwoChoices = <Target extends BalancedTarget>(
  candidates: readonly Target[],
  first: number,
  second: number,
): Target | null => {
  let total = 0;
  for (const { weight } of candidates) total += weight;
  const one = at(candidates, first * total, null);
  if (one === null || candidates.length === 1) return one;
  const other = at(candidates, second * (total - one.weight), one) ?? one;
  return compareLoads(other, one) < 0 ? other : one;
};
