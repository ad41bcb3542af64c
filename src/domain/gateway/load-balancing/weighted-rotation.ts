import type { BalancedTarget } from './balanced-target.js';

/**
 * Smooth weighted round robin: in each turn every candidate earns its weight as credit, and the one with the most
 * credit is chosen and pays the total. In a full cycle each candidate gets its weight in turns, spread evenly. A target
 * that is temporarily no candidate earns nothing, so it is not flooded afterwards.
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
