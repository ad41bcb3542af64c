import { err, ok, type Result } from '../../shared/result.js';
import type { RouteConfiguration } from '../configuration/gateway-configuration.js';
import type { PathTestCompiler } from './path-pattern.js';
import { type PatternEntry, PatternGroup } from './pattern-group.js';
import { patternLiterals } from './pattern-literals.js';
import { compileRoute, type Route } from './route.js';
import {
  compareSpecificity,
  failedKinds,
  type MatchKind,
  type PathPattern,
  prefixesRank,
  RequestView,
  type RoutableRequest,
  type RouteConditions,
} from './route-matches.js';
import {
  AttributeIndex,
  type OpenAttributes,
  type Placement,
  type RouteCandidate,
  RouteSearch,
} from './route-search.js';

const slash = 0x2f;

/** A node for one path segment of the prefixes. */
class PrefixNode {
  readonly children = new Map<string, PrefixNode>();
  /** For a prefix that ends here: matches this path and all below it. */
  here: AttributeIndex | null = null;
  /** For a prefix that ends here with a slash: matches only paths below it. */
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

/** Path prefixes by segment. A lookup visits at most the segments of the longest prefix. */
class PrefixTrie {
  readonly #root = new PrefixNode();

  /** The prefix must begin with a slash. */
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

/** Path patterns by literal prefix, so that only possible matches are tested. */
class PatternIndex {
  readonly #bySource = new Map<string, PatternEntry>();
  readonly #byPrefix = new Map<string, PatternEntry[]>();
  #groups: ReadonlyMap<string, PatternGroup> = new Map();
  /** Ascending. */
  #prefixLengths: readonly number[] = [];

  add(pattern: PathPattern, placement: Placement, open: OpenAttributes): void {
    let entry = this.#bySource.get(pattern.source);
    if (entry === undefined) {
      const { prefix, inner } = patternLiterals(pattern.source);
      entry = { test: pattern.test, inner, index: new AttributeIndex() };
      this.#bySource.set(pattern.source, entry);
      const group = this.#byPrefix.get(prefix);
      if (group === undefined) this.#byPrefix.set(prefix, [entry]);
      else group.push(entry);
    }
    entry.index.add(placement, open);
  }

  /** Call once, after all patterns are added. */
  finish(): void {
    this.#groups = new Map([...this.#byPrefix].map(([prefix, entries]) => [prefix, new PatternGroup(entries)]));
    const lengths = new Set([...this.#groups.keys()].map((prefix) => prefix.length));
    this.#prefixLengths = [...lengths].toSorted((left, right) => left - right);
  }

  search(path: string, search: RouteSearch): void {
    for (const length of this.#prefixLengths) {
      if (length > path.length) return;
      this.#groups.get(path.slice(0, length))?.search(path, search);
    }
  }
}

/** Candidates with the same host, by path. */
class PathIndex {
  #minRank = Number.POSITIVE_INFINITY;
  readonly #exact = new Map<string, AttributeIndex>();
  #prefixes: PrefixTrie | null = null;
  #patterns: PatternIndex | null = null;
  #anyPath: AttributeIndex | null = null;

  /** Adds a placement under its most specific kind of path. Call in order of rank. */
  add(placement: Placement, open: OpenAttributes): void {
    const { conditions, rank } = placement.candidate;
    this.#minRank = Math.min(this.#minRank, rank);
    if (conditions.paths.length > 0) {
      for (const path of conditions.paths) this.#exactAt(path).add(placement, open);
    } else if (conditions.patterns.length > 0) {
      this.#patterns ??= new PatternIndex();
      for (const pattern of conditions.patterns) this.#patterns.add(pattern, placement, open);
    } else if (conditions.prefixes.length > 0) {
      this.#prefixes ??= new PrefixTrie();
      for (const prefix of conditions.prefixes) this.#prefixes.add(prefix, placement, open);
    } else {
      this.#anyPath ??= new AttributeIndex();
      this.#anyPath.add(placement, open);
    }
  }

  /** Call once, after all placements are added. */
  finish(): void {
    this.#patterns?.finish();
  }

  search(search: RouteSearch): void {
    if (this.#minRank >= search.bestRank) return;
    const { path } = search.request;
    if (this.#exact.size > 0) this.#exact.get(path)?.search(search);
    this.#prefixes?.search(path, search);
    this.#anyPath?.search(search);
    // Last, because it is the slowest and earlier results may already beat it.
    this.#patterns?.search(path, search);
  }

  #exactAt(path: string): AttributeIndex {
    let index = this.#exact.get(path);
    if (index === undefined) {
      index = new AttributeIndex();
      this.#exact.set(path, index);
    }
    return index;
  }
}

/** Largest number of placements for one candidate. Beyond it, conditions are tested on the candidate. */
const maxPlacements = 1024;

/** The conditions of a candidate that the index decides, besides the path. */
interface Plan extends OpenAttributes {
  readonly byHost: boolean;
  readonly decided: boolean;
}

/** Whether a candidate has more than one kind of path. The index uses only the most specific one. */
const hasFurtherPathKinds = ({ paths, patterns, prefixes }: RouteConditions): boolean =>
  [paths, patterns, prefixes].filter((kind) => kind.length > 0).length > 1;

const planFor = (conditions: RouteConditions): Plan => {
  const hostCount = conditions.hosts.length + conditions.hostSuffixes.length;
  let places = Math.max(1, conditions.paths.length, conditions.patterns.length, conditions.prefixes.length);
  const fits = (count: number): boolean => {
    if (places * Math.max(1, count) > maxPlacements) return false;
    places *= Math.max(1, count);
    return true;
  };
  const byHost = fits(hostCount);
  const headers = fits(conditions.headers.length) ? conditions.headers : [];
  const queryParams = fits(conditions.queryParams.length) ? conditions.queryParams : [];
  const methods = fits(conditions.methods.length) ? conditions.methods : [];
  const decided =
    byHost &&
    headers.length === conditions.headers.length &&
    queryParams.length === conditions.queryParams.length &&
    methods.length === conditions.methods.length &&
    // Not indexed: at most two candidates differ only in their scheme.
    conditions.schemes.length === 0 &&
    !hasFurtherPathKinds(conditions);
  return { byHost, headers, queryParams, methods, decided };
};

/** All candidates by host, then path, then header, query and method. */
class RouteIndex {
  readonly #hosts = new Map<string, PathIndex>();
  /** Without the leading dot. */
  readonly #suffixes = new Map<string, PathIndex>();
  readonly #anyHost = new PathIndex();

  /** Candidates must be in order of rank. */
  constructor(candidates: readonly RouteCandidate[]) {
    for (const candidate of candidates) this.#add(candidate);
    for (const index of [this.#anyHost, ...this.#hosts.values(), ...this.#suffixes.values()]) index.finish();
  }

  search(search: RouteSearch): void {
    const { host } = search.request;
    if (host !== null) {
      if (this.#hosts.size > 0) this.#hosts.get(host)?.search(search);
      if (this.#suffixes.size > 0) this.#searchSuffixes(host, search);
    }
    this.#anyHost.search(search);
  }

  #searchSuffixes(host: string, search: RouteSearch): void {
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      if (dot > 0) this.#suffixes.get(host.slice(dot + 1))?.search(search);
    }
  }

  #add(candidate: RouteCandidate): void {
    const { conditions } = candidate;
    const plan = planFor(conditions);
    const placement = { candidate, decided: plan.decided };
    const isAnyHost = conditions.hosts.length === 0 && conditions.hostSuffixes.length === 0;
    if (isAnyHost || !plan.byHost) {
      this.#anyHost.add(placement, plan);
      return;
    }
    for (const host of conditions.hosts) this.#at(this.#hosts, host).add(placement, plan);
    for (const suffix of conditions.hostSuffixes) this.#at(this.#suffixes, suffix.slice(1)).add(placement, plan);
  }

  #at(map: Map<string, PathIndex>, key: string): PathIndex {
    let index = map.get(key);
    if (index === undefined) {
      index = new PathIndex();
      map.set(key, index);
    }
    return index;
  }
}

/**
 * A route with one of its prefixes, and with its exact hosts or one host suffix. Each combination is an alternative,
 * because only the parts that match decide the specificity.
 */
interface RouteAlternative {
  readonly route: Route;
  /** The narrowed conditions of the route. */
  readonly conditions: RouteConditions;
}

/** Matching order: higher priority, then higher specificity, then order of the file. Negative: `left` comes first. */
const compareAlternatives = (left: RouteAlternative, right: RouteAlternative): number => {
  const [a, b] = [left.conditions, right.conditions];
  return (
    right.route.configuration.priority - left.route.configuration.priority ||
    compareSpecificity(a, b) ||
    left.route.fileOrder - right.route.fileOrder
  );
};

/** The number of alternatives of a route. */
const countAlternatives = ({ conditions }: Route): number => {
  const prefixes = prefixesRank(conditions) ? conditions.prefixes.length : 1;
  return prefixes * Math.max(1, (conditions.hosts.length > 0 ? 1 : 0) + conditions.hostSuffixes.length);
};

/** The alternatives of a route, which together match the same requests. */
const alternativesOf = (route: Route): readonly RouteAlternative[] => {
  const { conditions } = route;
  const byPrefix: readonly RouteConditions[] = prefixesRank(conditions)
    ? conditions.prefixes.map((prefix) => ({ ...conditions, prefixes: [prefix] }))
    : [conditions];
  return byPrefix.flatMap((narrowed) => {
    if (narrowed.hostSuffixes.length === 0) return [{ route, conditions: narrowed }];
    const bySuffix = narrowed.hostSuffixes.map((suffix) => ({
      route,
      conditions: { ...narrowed, hosts: [], hostSuffixes: [suffix] },
    }));
    return narrowed.hosts.length === 0
      ? bySuffix
      : [{ route, conditions: { ...narrowed, hostSuffixes: [] } }, ...bySuffix];
  });
};

/** An error in a route. */
interface RouteFault {
  readonly routeId: string;
  readonly message: string;
}

/** The compiled routes of a configuration. */
export interface RouteTable {
  /** In matching order. The most specific alternative decides the position of a route. */
  readonly routes: readonly RouteConfiguration[];
  /** The route of a request, or null. The cost does not grow with the number of routes. */
  find(request: RoutableRequest): RouteConfiguration | null;
  /** The routes before that of a request, in matching order, with the kinds of match that it does not meet. */
  passedOver(request: RoutableRequest): readonly PassedRoute[];
}

/** A route that the gateway tries before the route of a request. */
export interface PassedRoute {
  readonly route: RouteConfiguration;
  readonly failed: readonly MatchKind[];
}

/** Tests the candidates in order, for people: a lookup does not. */
const passedOver = (candidates: readonly RouteCandidate[], request: RoutableRequest): readonly PassedRoute[] => {
  const view = new RequestView(request);
  const passed = new Map<RouteConfiguration, ReadonlySet<MatchKind>>();
  for (const { route, conditions } of candidates) {
    const failed = failedKinds(conditions, view);
    const { configuration } = route;
    if (failed.length === 0) {
      passed.delete(configuration);
      break;
    }
    passed.set(configuration, new Set([...(passed.get(configuration) ?? []), ...failed]));
  }
  return [...passed].map(([route, failed]) => ({ route, failed: [...failed] }));
};

/** Largest number of combinations of prefixes and host suffixes in one route. */
const maxAlternatives = 4096;

const compileRoutes = (
  configurations: readonly RouteConfiguration[],
  compilePattern: PathTestCompiler,
): Result<readonly Route[], readonly RouteFault[]> => {
  const routes: Route[] = [];
  const faults: RouteFault[] = [];
  for (const [fileOrder, configuration] of configurations.entries()) {
    const route = compileRoute(configuration, fileOrder, compilePattern);
    const messages = route.ok ? [] : [...route.error];
    if (route.ok && countAlternatives(route.value) > maxAlternatives) {
      messages.push(`the prefixes and host suffixes have more than ${maxAlternatives} combinations: split the route`);
    }
    for (const message of messages) faults.push({ routeId: configuration.id, message });
    if (route.ok) routes.push(route.value);
  }
  return faults.length > 0 ? err(faults) : ok(routes);
};

/** Compiles routes, in the order of the file. The error lists all faults of all routes. */
export const compileRouteTable = (
  configurations: readonly RouteConfiguration[],
  compilePattern: PathTestCompiler,
): Result<RouteTable, readonly RouteFault[]> => {
  const compiled = compileRoutes(configurations, compilePattern);
  if (!compiled.ok) return compiled;
  const candidates: readonly RouteCandidate[] = compiled.value
    .flatMap(alternativesOf)
    .toSorted(compareAlternatives)
    .map((alternative, rank) => ({ ...alternative, rank }));
  const index = new RouteIndex(candidates);
  return ok({
    routes: [...new Set(candidates.map(({ route }) => route.configuration))],
    find: (request) => {
      const search = new RouteSearch(request);
      index.search(search);
      return search.best?.route.configuration ?? null;
    },
    passedOver: (request) => passedOver(candidates, request),
  });
};
