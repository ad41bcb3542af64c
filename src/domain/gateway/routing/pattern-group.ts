import type { PathTest } from './path-pattern.js';
import type { AttributeIndex, RouteSearch } from './route-search.js';

/** A node for a prefix of a literal. Nodes are referenced by index. */
interface AutomatonNode {
  readonly next: Map<number, number>;
  /** The node of the longest proper suffix that is also a prefix of a literal (failure link). */
  shorter: number;
  /** Index of the literal equal to this text, or -1. */
  literal: number;
  /** The nearest literal node on the `shorter` chain (output link), or 0. */
  found: number;
}

const root = 0;

/** Finds many literals in a text in one pass (Aho and Corasick, "Efficient string matching", 1975). */
export class LiteralAutomaton {
  readonly #nodes: AutomatonNode[] = [{ next: new Map(), shorter: root, literal: -1, found: root }];

  /** Literals must not be empty. */
  constructor(literals: readonly string[]) {
    for (const [literal, text] of literals.entries()) this.#add(text, literal);
    this.#link();
  }

  /** Calls back with the index of a literal for each occurrence in the text. */
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

  /** Links nodes breadth-first, because a node needs the links of shorter texts. */
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

/** One pattern, shared by all its routes. */
export interface PatternEntry {
  readonly test: PathTest;
  /** Literals that every matching path contains. */
  readonly inner: readonly string[];
  readonly index: AttributeIndex;
}

/** Up to this number, testing each pattern is faster than a literal search. */
const automatonThreshold = 8;

const tryEach = (entries: readonly PatternEntry[], path: string, search: RouteSearch): void => {
  for (const { test, index } of entries) {
    // INVARIANT: entries are in order of rank, so the search ends at the first that cannot win.
    if (index.minRank >= search.bestRank) return;
    if (test(path)) index.search(search);
  }
};

/** Number of entries that contain each literal. */
const countTexts = (entries: readonly PatternEntry[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { inner } of entries) {
    for (const text of new Set(inner)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
};

/** The most selective literal of an entry: the rarest, then the longest. */
const mostSelective = (inner: readonly string[], counts: ReadonlyMap<string, number>): string | null => {
  let best: string | null = null;
  for (const text of inner) {
    const difference = best === null ? -1 : (counts.get(text) ?? 0) - (counts.get(best) ?? 0);
    if (difference < 0 || (difference === 0 && best !== null && text.length > best.length)) best = text;
  }
  return best;
};

/** Patterns with the same prefix. A large group is searched by inner literals. */
export class PatternGroup {
  /** Patterns that are tested on every path. */
  #always: readonly PatternEntry[];
  #automaton: LiteralAutomaton | null = null;
  /** Patterns that are tested if a literal occurs, by the index of the literal in the automaton. */
  #byText: readonly (readonly PatternEntry[])[] = [];

  /** Entries must be in order of rank. */
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
      const text = mostSelective(entry.inner, counts);
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
