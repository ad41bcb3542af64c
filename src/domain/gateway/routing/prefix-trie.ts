import { AttributeIndex, type OpenAttributes } from './attribute-index.js';
import type { Placement, RouteSearch } from './route-candidate.js';

const slash = 0x2f;

/** One segment deep in the prefixes. */
class PrefixNode {
  readonly children = new Map<string, PrefixNode>();
  /** Of the prefix that ends here: takes this path and all below. */
  here: AttributeIndex | null = null;
  /** Of the prefix that ends here with a slash: takes only what is below. */
  below: AttributeIndex | null = null;

  child(segment: string): PrefixNode {
    let child = this.children.get(segment);
    if (child === undefined) {
      child = new PrefixNode();
      this.children.set(segment, child);
    }
    return child;
  }
}

/** Path prefixes by their segments: a look-up costs the segments of the path, at most those of the longest prefix. */
export class PrefixTrie {
  readonly #root = new PrefixNode();

  /** The prefix has to begin with a slash. */
  add(prefix: string, placement: Placement, open: OpenAttributes): void {
    const segments = prefix.slice(1).split('/');
    const last = segments.pop() as string;
    let node = this.#root;
    for (const segment of segments) node = node.child(segment);
    if (last === '') {
      node.below ??= new AttributeIndex();
      node.below.add(placement, open);
      return;
    }
    node = node.child(last);
    node.here ??= new AttributeIndex();
    node.here.add(placement, open);
  }

  search(path: string, search: RouteSearch): void {
    if (path.charCodeAt(0) !== slash) return;
    let node: PrefixNode | undefined = this.#root;
    let start = 1;
    for (;;) {
      // INVARIANT: path[start - 1] is the slash below `node`.
      node.below?.search(search);
      if (node.children.size === 0) return;
      const found = path.indexOf('/', start);
      const end = found < 0 ? path.length : found;
      node = node.children.get(path.slice(start, end));
      if (node === undefined) return;
      node.here?.search(search);
      if (found < 0) return;
      start = end + 1;
    }
  }
}
