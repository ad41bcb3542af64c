import { cookieValues } from '../../http/cookies.js';
import { firstHeader, type HeaderList } from '../../http/header-list.js';
import type { HashKey } from '../configuration/upstream-options.js';

/**
 * The text to hash for a request. A request without the header or cookie uses the client address, because an empty text
 * would send all such requests to one target.
 */
export const hashKeyText = (key: HashKey, clientIp: string, headers: HeaderList): string => {
  if (key.kind === 'client_ip') return clientIp;
  const value = key.kind === 'header' ? firstHeader(headers, key.name) : cookieValues(headers, key.name)[0];
  return value === undefined || value === '' ? clientIp : value;
};

/** Mixes all bits of a 32-bit word (the finaliser of MurmurHash3); a bijection. */
export const mixed = (word: number): number => {
  let mix = word;
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
};

/** A 32-bit hash of a text, equal on every host (FNV-1a over UTF-16 units, then mixed). It is not cryptographic. */
export const textHash = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixed(hash);
};

/** A target for rendezvous hashing. */
export interface HashedTarget {
  /** Share of the keys, relative to the other weights; above 0. */
  readonly weight: number;
  /** `textHash` of the target's name. */
  readonly seed: number;
}

const words = 2 ** 32;

/**
 * Selects a candidate by weighted rendezvous hashing: the highest score from key, seed and weight wins. If a candidate
 * leaves, only its keys move, spread over all others. A new candidate takes a part of its share from each other. It
 * needs no table, and all gateways with the same targets choose alike. Null: no candidate.
 *
 * @param key `textHash` of the text to distribute
 */
export const hashedTo = <Target extends HashedTarget>(candidates: readonly Target[], key: number): Target | null => {
  let best: Target | null = null;
  let highest = 0;
  for (const candidate of candidates) {
    // Between 0 and 1, both exclusive.
    const draw = (mixed(key ^ candidate.seed) + 0.5) / words;
    const score = candidate.weight / -Math.log(draw);
    if (best === null || score > highest) {
      best = candidate;
      highest = score;
    }
  }
  return best;
};
