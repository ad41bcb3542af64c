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

/** Paths as the configuration has them, normalised. */
export interface SamlPathOptions {
  readonly acsPath: string;
  readonly metadataPath: string;
  readonly logoutPath: string;
  /** Empty: every path. One that ends in a slash protects the name before it too. */
  readonly protectedPaths: readonly string[];
  /** They win over protected ones. One that ends in a slash leaves the name before it protected. */
  readonly excludedPaths: readonly string[];
}

/** `open`: there are protected paths, and this is none of them. */
export type SamlPathKind = 'acs' | 'metadata' | 'logout' | 'excluded' | 'protected' | 'open';

/** Paths ready for look-ups, each of which costs the length of what is looked up alone. */
export interface SamlPaths {
  readonly endpoints: ReadonlyMap<string, SamlPathKind>;
  readonly excluded: PathSet;
  /** Null: every path is. */
  readonly protected: PathSet | null;
}

/** Who protects `/admin/` does not mean to leave `/admin` open. */
const withoutLastSlash = (path: string): string => (path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path);

/**
 * A path as servers see it that cut parameters off its segments (RFC 3986, section 3.3), also where the `;` is
 * percent-encoded, and then merge its slashes; null where they find a dot segment so, and may climb.
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

/** One that may be any path protects them all. */
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
 * What single sign-on has to do with a request for a path. That is the normal form of its own, and null where it has
 * none: such a path is protected, as nobody knows what an upstream makes of it. Parameters of segments (`;x`)
 * never take a path out of the protected ones, nor into the excluded ones: some upstreams cut them off.
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
