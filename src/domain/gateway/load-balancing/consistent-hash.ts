import { mixed } from './text-hash.js';

/** A target that keys are spread over. */
export interface HashedTarget {
  /** Share of the keys, against the weights of the others; above 0. */
  readonly weight: number;
  /** `textHash` of what names the target. */
  readonly seed: number;
}

const words = 2 ** 32;

/**
 * The candidate that a key belongs to, by weighted rendezvous hashing: each draws a number from the key and its own seed,
 * by its weight, and the highest wins. A candidate that goes away leaves the draws of the others as they were, so only
 * its own keys move, and they move to all of the others; one that comes takes its share from each. No table is built or
 * kept, and every gateway that knows the same targets comes to the same choice. Null where there is no candidate.
 *
 * @param key `textHash` of what is spread
 */
export const hashedTo = <Target extends HashedTarget>(candidates: readonly Target[], key: number): Target | null => {
  let best: Target | null = null;
  let highest = 0;
  for (const candidate of candidates) {
    // Between 0 and 1, neither of them included.
    const draw = (mixed(key ^ candidate.seed) + 0.5) / words;
    const score = candidate.weight / -Math.log(draw);
    if (best === null || score > highest) {
      best = candidate;
      highest = score;
    }
  }
  return best;
};
