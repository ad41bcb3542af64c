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

/** Paths of the configuration, normalised. */
export interface SamlPathOptions {
  readonly acsPath: string;
  readonly metadataPath: string;
  readonly logoutPath: string;
  /** Empty: every path. A path with a final slash also protects the path without it. */
  readonly protectedPaths: readonly string[];
  /** They override protected paths. A path with a final slash does not exclude the path without it. */
  readonly excludedPaths: readonly string[];
}

/** `open`: there are protected paths, and this is not one of them. */
export type SamlPathKind = 'acs' | 'metadata' | 'logout' | 'excluded' | 'protected' | 'open';

/** Prepared paths. A look-up takes time linear in the length of the path. */
export interface SamlPaths {
  readonly endpoints: ReadonlyMap<string, SamlPathKind>;
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
const withoutParameters = (path: string): string | null => {
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
const protectedPath = (path: string): string => withoutLastSlash(withoutParameters(path) ?? '/');

export const compileSamlPaths = (options: SamlPathOptions): SamlPaths => ({
  endpoints: new Map<string, SamlPathKind>([
    [options.metadataPath, 'metadata'],
    [options.logoutPath, 'logout'],
    [options.acsPath, 'acs'],
  ]),
  excluded: new PathSet(options.excludedPaths),
  protected: options.protectedPaths.length === 0 ? null : new PathSet(options.protectedPaths.map(protectedPath)),
});

/**
 * The role of a path in single sign-on. The path is normalised; null means it has no normal form, and it is protected,
 * because upstreams may interpret it differently. Segment parameters (`;x`) never make a path unprotected or excluded,
 * because some upstreams remove them.
 */
export const samlPathKind = (paths: SamlPaths, path: string | null): SamlPathKind => {
  if (path === null) return 'protected';
  const endpoint = paths.endpoints.get(path);
  if (endpoint !== undefined) return endpoint;
  const plain = withoutParameters(path);
  if (plain === null) return 'protected';
  if (paths.excluded.takes(path)) return 'excluded';
  return paths.protected === null || paths.protected.takes(plain) ? 'protected' : 'open';
};
