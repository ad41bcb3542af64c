import type { BalancedTarget } from './balanced-target.js';
import { compareLoads } from './least-connections.js';

/** The candidate whose part of the line from 0 to `total` the point is in, where `left` has none. */
const at = <Target extends BalancedTarget>(
  candidates: readonly Target[],
  point: number,
  left: Target | null,
): Target | null => {
  let end = 0;
  let last: Target | null = null;
  for (const candidate of candidates) {
    if (candidate === left) continue;
    end += candidate.weight;
    last = candidate;
    if (point < end) return candidate;
  }
  // A product with a fraction just below 1 may round up to the end of the line.
  return last;
};

/**
 * Draws two candidates by their weights and takes the one that has less to do for its weight, the first drawn where
 * both have as much. Almost as good as to look at all of them, and gateways that do not know of each other do not all
 * run to the same target. Null where there is no candidate.
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
