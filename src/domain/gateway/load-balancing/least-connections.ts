import type { BalancedTarget } from './balanced-target.js';
import { nextInTurn } from './weighted-rotation.js';

/** Negative: `one` has a lower load for its weight. Products avoid rounding errors of quotients. */
export const compareLoads = (one: BalancedTarget, other: BalancedTarget): number =>
  one.active * other.weight - other.active * one.weight;

/**
 * The candidate with the fewest requests in flight for its weight. Equal candidates take turns by weight, so that
 * weights count even for very short requests. Null: no candidate.
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
