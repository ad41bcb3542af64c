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
