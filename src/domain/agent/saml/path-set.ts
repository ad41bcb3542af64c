/** One segment deep in the paths. */
class PathNode {
  readonly children = new Map<string, PathNode>();
  /** A path ends here: it and all below are taken. */
  here = false;
  /** A path ends here with a slash: only what is below is taken. */
  below = false;
}

/** Paths by their segments. A look-up costs the segments of the path, however many paths there are. */
export class PathSet {
  readonly #root = new PathNode();

  /** Each begins with a slash. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) this.#add(path);
  }

  /** Whether one of the paths takes this one, as `prefixTakes` has it. */
  takes(path: string): boolean {
    if (!path.startsWith('/')) return false;
    let node: PathNode | undefined = this.#root;
    let start = 1;
    for (;;) {
      // INVARIANT: path[start - 1] is the slash below `node`.
      if (node.below) return true;
      const found = path.indexOf('/', start);
      node = node.children.get(path.slice(start, found < 0 ? path.length : found));
      if (node === undefined) return false;
      if (node.here) return true;
      if (found < 0) return false;
      start = found + 1;
    }
  }

  #add(path: string): void {
    const segments = path.slice(1).split('/');
    const last = segments.pop() as string;
    let node = this.#root;
    for (const segment of last === '' ? segments : [...segments, last]) {
      let child = node.children.get(segment);
      if (child === undefined) {
        child = new PathNode();
        node.children.set(segment, child);
      }
      node = child;
    }
    if (last === '') node.below = true;
    else node.here = true;
  }
}
