/** A segment of the stored paths. */
class PathNode {
  readonly children = new Map<string, PathNode>();
  /** A path ends here and matches this node and everything below it. */
  here = false;
  /** A path ends here with a slash and matches only what is below. */
  below = false;
}

/** A set of path prefixes. A look-up takes time linear in the segments of the path, not in the number of prefixes. */
export class PathSet {
  readonly #root = new PathNode();

  /** Each path begins with a slash. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) this.#add(path);
  }

  /** Whether one of the prefixes matches, as `prefixTakes` defines it. */
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

/** The paths of a way to sign on, normalised. */
export interface ProtectedPathOptions {
  /** Empty: every path. A path with a final slash also protects the path without it. */
  readonly protectedPaths: readonly string[];
  /** They override protected paths. A path with a final slash does not exclude the path without it. */
  readonly excludedPaths: readonly string[];
}

/** `open`: there are protected paths, and this is not one of them. `excluded`: sessions are ignored too. */
export type PathProtection = 'excluded' | 'protected' | 'open';

/** Prepared paths. A look-up takes time linear in the length of the path. */
export interface ProtectedPaths {
  readonly excluded: PathSet;
  /** Null: every path. */
  readonly protected: PathSet | null;
}

/** Protecting `/admin/` must not leave `/admin` open. */
const withoutLastSlash = (path: string): string => (path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path);

/**
 * The path as seen by servers that remove parameters of segments (RFC 3986, section 3.3), including a percent-encoded
 * `;`, and then merge slashes. Null if this reveals a dot segment, which may climb.
 */
export const withoutParameters = (path: string): string | null => {
  if (!path.includes(';') && !path.includes('%3B')) return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    const marks = [segment.indexOf(';'), segment.indexOf('%3B')].filter((index) => index >= 0);
    const name = segment.slice(0, Math.min(segment.length, ...marks));
    if (name === '.' || name === '..') return null;
    if (name !== '') segments.push(name);
  }
  return `/${segments.join('/')}`;
};

/** A path that may be any path protects all paths. */
export const protectedPath = (path: string): string => withoutLastSlash(withoutParameters(path) ?? '/');

export const compileProtectedPaths = (options: ProtectedPathOptions): ProtectedPaths => ({
  excluded: new PathSet(options.excludedPaths),
  protected: options.protectedPaths.length === 0 ? null : new PathSet(options.protectedPaths.map(protectedPath)),
});

/**
 * The protection of a path. The path is normalised; null means it has no normal form, and it is protected, because
 * upstreams may interpret it differently. Segment parameters (`;x`) never make a path unprotected or excluded, because
 * some upstreams remove them.
 */
export const pathProtection = (paths: ProtectedPaths, path: string | null): PathProtection => {
  const plain = path === null ? null : withoutParameters(path);
  if (path === null || plain === null) return 'protected';
  if (paths.excluded.takes(path)) return 'excluded';
  return paths.protected === null || paths.protected.takes(plain) ? 'protected' : 'open';
};

/**
 * The protection by several ways together. A path that one of them protects is protected, whatever the others exclude.
 */
export const combinedProtection = (protections: Iterable<PathProtection>): PathProtection => {
  let combined: PathProtection = 'open';
  for (const protection of protections) {
    if (protection === 'protected') return protection;
    if (protection === 'excluded') combined = protection;
  }
  return combined;
};
