import type { OpenAttributes } from './attribute-index.js';
import { PathIndex } from './path-index.js';
import type { RouteConditions } from './route.js';
import type { RouteCandidate, RouteSearch } from './route-candidate.js';

/** Places that one candidate may take; beyond, conditions are checked at the candidate instead of by the index. */
const maxPlacements = 1024;

/** How many conditions besides those of the path the index decides for a candidate. */
interface Plan extends OpenAttributes {
  readonly byHost: boolean;
  readonly decided: boolean;
}

/** Kinds of path that the path index does not look at, because a more specific one files the candidate. */
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
    !hasFurtherPathKinds(conditions);
  return { byHost, headers, queryParams, methods, decided };
};

/** All candidates by host, then by path, then by what else they ask for. */
export class RouteIndex {
  readonly #hosts = new Map<string, PathIndex>();
  /** Without their leading dot. */
  readonly #suffixes = new Map<string, PathIndex>();
  readonly #anyHost = new PathIndex();

  /** Candidates come in order of rank. */
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
