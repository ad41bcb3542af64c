import type { AttributeIndex } from './attribute-index.js';
import type { PathTest } from './path-pattern.js';
import type { RouteSearch } from './route-candidate.js';

/** A node: text that is the beginning of some literal. Nodes are named by their index. */
interface AutomatonNode {
  readonly next: Map<number, number>;
  /** The node of the longest end of this text that begins a literal as well. */
  shorter: number;
  /** The literal that is this text, or -1. */
  literal: number;
  /** The nearest node on the way of `shorter` that is a literal, or 0. */
  found: number;
}

const root = 0;

/**
 * Finds all of many literals in a text in one pass, whatever their number (Aho and Corasick, "Efficient string
 * matching", 1975).
 */
export class LiteralAutomaton {
  readonly #nodes: AutomatonNode[] = [{ next: new Map(), shorter: root, literal: -1, found: root }];

  /** None of the literals may be empty. */
  constructor(literals: readonly string[]) {
    for (const [literal, text] of literals.entries()) this.#add(text, literal);
    this.#link();
  }

  /** Calls back with the index of each literal in the text; once for each place where it is. */
  scan(text: string, onLiteral: (literal: number) => void): void {
    let node = root;
    for (let index = 0; index < text.length; index += 1) {
      node = this.#step(node, text.charCodeAt(index));
      const { literal, found } = this.#at(node);
      if (literal >= 0) onLiteral(literal);
      for (let end = found; end !== root; end = this.#at(end).found) onLiteral(this.#at(end).literal);
    }
  }

  #at(node: number): AutomatonNode {
    return this.#nodes[node] as AutomatonNode;
  }

  #step(from: number, code: number): number {
    for (let node = from; ; node = this.#at(node).shorter) {
      const next = this.#at(node).next.get(code);
      if (next !== undefined) return next;
      if (node === root) return root;
    }
  }

  #add(text: string, literal: number): void {
    let node = root;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      let next = this.#at(node).next.get(code);
      if (next === undefined) {
        next = this.#nodes.push({ next: new Map(), shorter: root, literal: -1, found: root }) - 1;
        this.#at(node).next.set(code, next);
      }
      node = next;
    }
    this.#at(node).literal = literal;
  }

  /** Level by level, so that shorter texts are linked before longer ones need them. */
  #link(): void {
    const queue = [...this.#at(root).next.values()];
    for (const node of queue) {
      for (const [code, child] of this.#at(node).next) {
        const shorter = this.#step(this.#at(node).shorter, code);
        const target = this.#at(child);
        target.shorter = shorter;
        target.found = this.#at(shorter).literal >= 0 ? shorter : this.#at(shorter).found;
        queue.push(child);
      }
    }
  }
}

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
