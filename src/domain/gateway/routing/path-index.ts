import { AttributeIndex, type OpenAttributes } from './attribute-index.js';
import { PatternIndex } from './pattern-index.js';
import { PrefixTrie } from './prefix-trie.js';
import type { Placement, RouteSearch } from './route-candidate.js';

/** Candidates that share their host, by path. */
export class PathIndex {
  #minRank = Number.POSITIVE_INFINITY;
  readonly #exact = new Map<string, AttributeIndex>();
  #prefixes: PrefixTrie | null = null;
  #patterns: PatternIndex | null = null;
  #anyPath: AttributeIndex | null = null;

  /** Files a placement under its most specific kind of path. Placements have to be added in order of rank. */
  add(placement: Placement, open: OpenAttributes): void {
    const { conditions, rank } = placement.candidate;
    this.#minRank = Math.min(this.#minRank, rank);
    if (conditions.paths.length > 0) {
      for (const path of conditions.paths) this.#exactAt(path).add(placement, open);
    } else if (conditions.patterns.length > 0) {
      this.#patterns ??= new PatternIndex();
      for (const pattern of conditions.patterns) this.#patterns.add(pattern, placement, open);
    } else if (conditions.prefixes.length > 0) {
      this.#prefixes ??= new PrefixTrie();
      for (const prefix of conditions.prefixes) this.#prefixes.add(prefix, placement, open);
    } else {
      this.#anyPath ??= new AttributeIndex();
      this.#anyPath.add(placement, open);
    }
  }

  /** To be called once, when all placements are there. */
  finish(): void {
    this.#patterns?.finish();
  }

  search(search: RouteSearch): void {
    if (this.#minRank >= search.bestRank) return;
    const { path } = search.request;
    if (this.#exact.size > 0) this.#exact.get(path)?.search(search);
    this.#prefixes?.search(path, search);
    this.#anyPath?.search(search);
    // Last, because it costs the most and the others may have found what it cannot beat.
    this.#patterns?.search(path, search);
  }

  #exactAt(path: string): AttributeIndex {
    let index = this.#exact.get(path);
    if (index === undefined) {
      index = new AttributeIndex();
      this.#exact.set(path, index);
    }
    return index;
  }
}
