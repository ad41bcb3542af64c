import type { BalancedTarget } from './balanced-target.js';

/**
 * Smooth weighted round robin: every round each candidate earns its weight, and the richest pays for all of them. In
 * as many turns as the weights come to each has as many as its weight, spread evenly. Who is no candidate for a while
 * earns nothing meanwhile, so it is not flooded when it is back.
 *
 * The credits sum up to what they were before. Null where there is no candidate.
 */
export const nextInTurn = <Target extends BalancedTarget>(candidates: readonly Target[]): Target | null => {
  let richest: Target | null = null;
  let total = 0;
  for (const candidate of candidates) {
    candidate.credit += candidate.weight;
    total += candidate.weight;
    if (richest === null || candidate.credit > richest.credit) richest = candidate;
  }
  if (richest !== null) richest.credit -= total;
  return richest;
};
