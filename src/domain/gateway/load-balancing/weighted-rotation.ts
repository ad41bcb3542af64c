import type { BalancedTarget } from './balanced-target.js';

/**
 * Smooth weighted round robin, as in nginx. In each turn every candidate gains its weight as credit. The candidate with
 * the most credit wins, and loses the total weight. In a full cycle each candidate wins as many turns as its weight,
 * spread evenly. A target that is not a candidate gains no credit, so it gets no burst of requests afterwards.
 *
 * The sum of credits stays the same. Null: no candidate.
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
