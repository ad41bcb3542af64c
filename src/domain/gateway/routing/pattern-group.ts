import type { AttributeIndex } from './attribute-index.js';
import { LiteralAutomaton } from './literal-automaton.js';
import type { PathTest } from './path-pattern.js';
import type { RouteSearch } from './route-candidate.js';

/** One pattern, however many routes have it. */
export interface PatternEntry {
  readonly test: PathTest;
  /** Texts that a path has to hold for the pattern to match. */
  readonly inner: readonly string[];
  readonly index: AttributeIndex;
}

/** Up to here, trying one by one is quicker than looking for literals. */
const automatonThreshold = 8;

const tryEach = (entries: readonly PatternEntry[], path: string, search: RouteSearch): void => {
  for (const { test, index } of entries) {
    // INVARIANT: entries come in order of rank, so the first that is too late ends it.
    if (index.minRank >= search.bestRank) return;
    if (test(path)) index.search(search);
  }
};

/** How many of the entries have each text. */
const countTexts = (entries: readonly PatternEntry[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { inner } of entries) {
    for (const text of new Set(inner)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
};

/** The text that tells an entry from most others: the rarest, of equally rare ones the longest. */
const mostTelling = (inner: readonly string[], counts: ReadonlyMap<string, number>): string | null => {
  let best: string | null = null;
  for (const text of inner) {
    const difference = best === null ? -1 : (counts.get(text) ?? 0) - (counts.get(best) ?? 0);
    if (difference < 0 || (difference === 0 && best !== null && text.length > best.length)) best = text;
  }
  return best;
};

/** Patterns that begin with the same text. Many of them are told apart by the texts inside of them. */
export class PatternGroup {
  /** Those that are tried on every path. */
  #always: readonly PatternEntry[];
  #automaton: LiteralAutomaton | null = null;
  /** Those that are tried on paths with a text, by the index of the text in the automaton. */
  #byText: readonly (readonly PatternEntry[])[] = [];

  /** Entries come in order of rank. */
  constructor(entries: readonly PatternEntry[]) {
    this.#always = entries;
    if (entries.length > automatonThreshold) this.#tellApart(entries);
  }

  search(path: string, search: RouteSearch): void {
    tryEach(this.#always, path, search);
    if (this.#automaton === null) return;
    const seen = new Set<number>();
    this.#automaton.scan(path, (text) => {
      if (seen.has(text)) return;
      seen.add(text);
      tryEach(this.#byText[text] as readonly PatternEntry[], path, search);
    });
  }

  #tellApart(entries: readonly PatternEntry[]): void {
    const counts = countTexts(entries);
    const byText = new Map<string, PatternEntry[]>();
    const always: PatternEntry[] = [];
    for (const entry of entries) {
      const text = mostTelling(entry.inner, counts);
      if (text === null) {
        always.push(entry);
        continue;
      }
      const alike = byText.get(text);
      if (alike === undefined) byText.set(text, [entry]);
      else alike.push(entry);
    }
    this.#always = always;
    this.#byText = [...byText.values()];
    this.#automaton = new LiteralAutomaton([...byText.keys()]);
  }
}
