import { cookieValues } from '../../http/cookies.js';
import { firstHeader, type HeaderList } from '../../http/header-list.js';
import type { HashKey } from '../configuration/upstream-options.js';

/**
 * What of a request its target is chosen by. A request that lacks the header or the cookie is known by its client's
 * address, for all that lack it would come to one target otherwise.
 */
export const hashKeyText = (key: HashKey, clientIp: string, headers: HeaderList): string => {
  if (key.kind === 'client_ip') return clientIp;
  const value = key.kind === 'header' ? firstHeader(headers, key.name) : cookieValues(headers, key.name)[0];
  return value === undefined || value === '' ? clientIp : value;
};

/** Brings every bit of a 32-bit word to bear on every other (the finaliser of MurmurHash3); a bijection. */
export const mixed = (word: number): number => {
  let mix = word;
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
};

/**
 * A 32-bit hash of a text, the same on every machine (FNV-1a over its UTF-16 units, then mixed). It keeps no secret,
 * and whoever wants to can find two texts with the same one.
 */
export const textHash = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixed(hash);
};

/** A target that keys are spread over. */
export interface HashedTarget {
  /** Share of the keys, against the weights of the others; above 0. */
  readonly weight: number;
  /** `textHash` of what names the target. */
  readonly seed: number;
}

const words = 2 ** 32;

/**
 * The candidate that a key belongs to, by weighted rendezvous hashing: each draws a number from the key and its own
 * seed, by its weight, and the highest wins. A candidate that goes away leaves the draws of the others as they were,
 * so only its own keys move, and they move to all of the others; one that comes takes its share from each. No table
 * is built or kept, and every gateway that knows the same targets comes to the same choice. Null where there is no
 * candidate.
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
