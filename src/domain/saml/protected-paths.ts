import { normalisePath } from '../http/path-normalisation.js';
import { PathSet } from './path-set.js';

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
export type SamlPathStanding = 'acs' | 'metadata' | 'logout' | 'excluded' | 'protected' | 'open';

/** Paths ready for look-ups, each of which costs the length of what is looked up alone. */
export interface SamlPaths {
  readonly endpoints: ReadonlyMap<string, SamlPathStanding>;
  readonly excluded: PathSet;
  /** Null: every path is. */
  readonly protected: PathSet | null;
}

/** Who protects `/admin/` does not mean to leave `/admin` open. */
const withoutLastSlash = (path: string): string => (path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path);

export const compileSamlPaths = (options: SamlPathOptions): SamlPaths => ({
  endpoints: new Map<string, SamlPathStanding>([
    [options.metadataPath, 'metadata'],
    [options.logoutPath, 'logout'],
    [options.acsPath, 'acs'],
  ]),
  excluded: new PathSet(options.excludedPaths),
  protected: options.protectedPaths.length === 0 ? null : new PathSet(options.protectedPaths.map(withoutLastSlash)),
});

/**
 * What single sign-on has to do with a request for a URI (path and query). A path that is not in normal form is judged
 * by it, and one that has none is protected: what an upstream makes of it nobody knows.
 */
export const samlPathStanding = (paths: SamlPaths, uri: string): SamlPathStanding => {
  const mark = uri.indexOf('?');
  const path = normalisePath(mark < 0 ? uri : uri.slice(0, mark));
  if (!path.ok) return 'protected';
  const endpoint = paths.endpoints.get(path.value);
  if (endpoint !== undefined) return endpoint;
  if (paths.excluded.takes(path.value)) return 'excluded';
  return paths.protected === null || paths.protected.takes(path.value) ? 'protected' : 'open';
};
