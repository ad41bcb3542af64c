import { AttributeIndex, type OpenAttributes } from './attribute-index.js';
import { type PatternEntry, PatternGroup } from './pattern-group.js';
import { patternLiterals } from './pattern-literals.js';
import type { PathPattern } from './route.js';
import type { Placement, RouteSearch } from './route-candidate.js';

/** Path patterns by the text that they begin with, so that only those are tried that a path can match. */
export class PatternIndex {
  readonly #bySource = new Map<string, PatternEntry>();
  readonly #byPrefix = new Map<string, PatternEntry[]>();
  #groups: ReadonlyMap<string, PatternGroup> = new Map();
  /** Ascending. */
  #prefixLengths: readonly number[] = [];

  add(pattern: PathPattern, placement: Placement, open: OpenAttributes): void {
    let entry = this.#bySource.get(pattern.source);
    if (entry === undefined) {
      const { prefix, inner } = patternLiterals(pattern.source);
      entry = { test: pattern.test, inner, index: new AttributeIndex() };
      this.#bySource.set(pattern.source, entry);
      const group = this.#byPrefix.get(prefix);
      if (group === undefined) this.#byPrefix.set(prefix, [entry]);
      else group.push(entry);
    }
    entry.index.add(placement, open);
  }

  /** To be called once, when all patterns are there. */
  finish(): void {
    this.#groups = new Map([...this.#byPrefix].map(([prefix, entries]) => [prefix, new PatternGroup(entries)]));
    const lengths = new Set([...this.#groups.keys()].map((prefix) => prefix.length));
    this.#prefixLengths = [...lengths].toSorted((left, right) => left - right);
  }

  search(path: string, search: RouteSearch): void {
    for (const length of this.#prefixLengths) {
      if (length > path.length) return;
      this.#groups.get(path.slice(0, length))?.search(path, search);
    }
  }
}
