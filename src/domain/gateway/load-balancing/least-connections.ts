import type { BalancedTarget } from './balanced-target.js';
import { nextInTurn } from './weighted-rotation.js';

/** Below 0: `one` has less to do for its weight than `other`. Products, for a quotient would be rounded. */
export const compareLoads = (one: BalancedTarget, other: BalancedTarget): number =>
  one.active * other.weight - other.active * one.weight;

/**
 * The candidate that has least to do for its weight. Those that have equally little take turns by their weights, so
 * that the weights hold where no request lasts long enough to be counted. Null where there is no candidate.
 */
export const leastLoaded = <Target extends BalancedTarget>(candidates: readonly Target[]): Target | null => {
  let least: Target | null = null;
  let ties = 0;
  for (const candidate of candidates) {
    const difference = least === null ? -1 : compareLoads(candidate, least);
    if (difference < 0) {
      least = candidate;
      ties = 1;
    } else if (difference === 0) ties += 1;
  }
  if (least === null || ties === 1) return least;
  if (ties === candidates.length) return nextInTurn(candidates);
  const lowest = least;
  return nextInTurn(candidates.filter((candidate) => compareLoads(candidate, lowest) === 0));
};
