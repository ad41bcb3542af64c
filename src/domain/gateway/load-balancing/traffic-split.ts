import type { HeaderList } from '../../http/header-list.js';
import type { HashKey } from '../configuration/upstream-options.js';
import { hashedTo, hashKeyText, textHash } from './consistent-hash.js';

/** One side of a split. */
export interface SplitSide {
  readonly upstream: string;
  /** Share of the requests, relative to the weights of the other sides; 0: none. */
  readonly weight: number;
}

/** How the requests of a route are divided among upstreams. At least one side has a weight above 0. */
export interface TrafficSplit {
  /** What keeps a client on its side; null: each request is divided at random. */
  readonly key: HashKey | null;
  readonly sides: readonly SplitSide[];
}

/** A side that takes part in the choice. */
export interface WeightedSide extends SplitSide {
  readonly seed: number;
  /** Sum of the weights up to this side. */
  readonly upTo: number;
}

/** The sides with a weight above 0. INVARIANT: there is at least one. */
export type WeightedSides = readonly [WeightedSide, ...WeightedSide[]];

/**
 * Prepares the sides of a split. The seed depends only on the name of the upstream: neither the order of the sides nor
 * the route moves a client.
 */
export const weightedSides = ({ sides }: TrafficSplit): WeightedSides => {
  let upTo = 0;
  const weighted = sides.flatMap((side): WeightedSide[] => {
    if (side.weight === 0) return [];
    upTo += side.weight;
    return [{ upstream: side.upstream, weight: side.weight, seed: textHash(side.upstream), upTo }];
  });
  return weighted as unknown as WeightedSides;
};

/** The side for a random number from 0, below 1. */
export const randomSide = (sides: WeightedSides, fraction: number): WeightedSide => {
  const last = sides[sides.length - 1] as WeightedSide;
  const point = fraction * last.upTo;
  return sides.find(({ upTo }) => point < upTo) ?? last;
};

/**
 * The side for a key, by weighted rendezvous hashing. A key moves from one side to another only if the weight of the
 * other has grown in relation to that of the first.
 */
export const sideOfKey = (sides: WeightedSides, key: string): WeightedSide =>
  hashedTo(sides, textHash(key)) ?? sides[0];

/** The side for a request. A request without the header or cookie of the key counts by client address. */
export const sideOfRequest = (
  sides: WeightedSides,
  key: HashKey,
  clientIp: string,
  headers: HeaderList,
): WeightedSide => sideOfKey(sides, hashKeyText(key, clientIp, headers));
