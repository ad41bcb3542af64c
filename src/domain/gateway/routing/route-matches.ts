import { parseAuthority } from '../../http/host.js';
import { normalisePath, prefixTakes } from '../../http/path-normalisation.js';
import { utf8ByteString } from '../../shared/byte-string.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { PathPatternCompiler, PathTest } from './path-pattern.js';
import type { RequestView } from './routable-request.js';

// Every kind of match: its configuration, its compiled form, its test and its weight.

/** A header or query parameter that has to be there, with a value or with any. */
export interface NamedMatch {
  readonly name: string;
  /** Null: any value will do. */
  readonly value: string | null;
}

/** Kinds AND together, several values of one kind OR together; an empty kind says nothing. */
export interface RouteMatches {
  readonly paths: readonly string[];
  readonly pathPrefixes: readonly string[];
  readonly pathRegexes: readonly string[];
  /** Exact, or `*.suffix`; lower case. */
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
}

/** A path-regex, ready to be asked. */
export interface PathPattern {
  readonly source: string;
  readonly test: PathTest;
}

/** The matches of a route in the form in which requests are compared. An empty kind says nothing. */
export interface RouteConditions {
  readonly paths: readonly string[];
  readonly prefixes: readonly string[];
  readonly patterns: readonly PathPattern[];
  readonly hosts: readonly string[];
  /** Of `*.example.com`: `.example.com`. */
  readonly hostSuffixes: readonly string[];
  readonly methods: readonly string[];
  /** Names in lower case, values as byte strings. */
  readonly headers: readonly NamedMatch[];
  /** Names and values as byte strings. */
  readonly queryParams: readonly NamedMatch[];
}

const compileHost = (host: string): Result<string, string> => {
  const suffix = host.startsWith('*.') ? host.slice(2) : null;
  const name = parseAuthority(suffix ?? host);
  if (!name.ok || name.value.port !== null || name.value.original.endsWith(':')) {
    return err(`"${host}" is no host: write a name as in "api.example.com", or "*.example.com"`);
  }
  return ok(suffix === null ? name.value.host : `.${name.value.host}`);
};

const compilePath = (path: string): Result<string, string> => {
  const normal = path.startsWith('/') ? normalisePath(path) : err('malformed_request');
  return normal.ok ? normal : err(`"${path}" is no path that a request can have`);
};

/** Applies `compile` to each; what fails is added to the faults. */
const collect = <Value>(
  sources: readonly string[],
  compile: (source: string) => Result<Value, string>,
  faults: string[],
): Value[] => {
  const values: Value[] = [];
  for (const source of sources) {
    const value = compile(source);
    if (value.ok) values.push(value.value);
    else faults.push(value.error);
  }
  return values;
};

const named = (match: NamedMatch, name: string): NamedMatch => ({
  name,
  value: match.value === null ? null : utf8ByteString(match.value),
});

/**
 * Compiles the matches of a route. Paths and prefixes are normalised as those of requests are. The error lists every
 * match that is malformed or that no request can meet.
 */
export const compileMatches = (
  matches: RouteMatches,
  compilePattern: PathPatternCompiler,
): Result<RouteConditions, readonly string[]> => {
  const faults: string[] = [];
  const pattern = (source: string): Result<PathPattern, string> => {
    const test = compilePattern(source);
    return test.ok ? ok({ source, test: test.value }) : err(`"${source}" is no path-regex: ${test.error}`);
  };
  const hosts = collect(matches.hosts, compileHost, faults);
  const conditions: RouteConditions = {
    paths: collect(matches.paths, compilePath, faults),
    prefixes: collect(matches.pathPrefixes, compilePath, faults),
    patterns: collect(matches.pathRegexes, pattern, faults),
    hosts: hosts.filter((host) => !host.startsWith('.')),
    hostSuffixes: hosts.filter((host) => host.startsWith('.')),
    methods: matches.methods,
    headers: matches.headers.map((match) => named(match, match.name.toLowerCase())),
    queryParams: matches.queryParams.map((match) => named(match, utf8ByteString(match.name))),
  };
  return faults.length > 0 ? err(faults) : ok(conditions);
};

const hostMatches = (conditions: RouteConditions, host: string | null): boolean => {
  if (conditions.hosts.length === 0 && conditions.hostSuffixes.length === 0) return true;
  if (host === null) return false;
  return (
    conditions.hosts.includes(host) ||
    conditions.hostSuffixes.some((suffix) => host.length > suffix.length && host.endsWith(suffix))
  );
};

const pathMatches = ({ paths, prefixes, patterns }: RouteConditions, path: string): boolean =>
  (paths.length === 0 || paths.includes(path)) &&
  (prefixes.length === 0 || prefixes.some((prefix) => prefixTakes(prefix, path))) &&
  (patterns.length === 0 || patterns.some((pattern) => pattern.test(path)));

const anyNamed = (wanted: readonly NamedMatch[], pairs: readonly string[]): boolean => {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    for (const { name, value } of wanted) {
      if (name === pairs[index] && (value === null || value === pairs[index + 1])) return true;
    }
  }
  return false;
};

/** Whether a request meets every kind of condition, each by one of its values; a condition costs its own length. */
export const meetsConditions = (conditions: RouteConditions, view: RequestView): boolean =>
  (conditions.methods.length === 0 || conditions.methods.includes(view.request.method)) &&
  hostMatches(conditions, view.request.host) &&
  (conditions.headers.length === 0 || anyNamed(conditions.headers, view.headers())) &&
  (conditions.queryParams.length === 0 || anyNamed(conditions.queryParams, view.parameters())) &&
  pathMatches(conditions, view.request.path);

/** Exact path over regex over prefix over no path at all. */
const pathKind = ({ paths, patterns, prefixes }: RouteConditions): number => {
  if (paths.length > 0) return 3;
  if (patterns.length > 0) return 2;
  return prefixes.length > 0 ? 1 : 0;
};

/** Whether the prefixes of a route decide how specific it is. */
export const prefixesRank = (conditions: RouteConditions): boolean => pathKind(conditions) === 1;

const longest = (texts: readonly string[]): number => texts.reduce((length, text) => Math.max(length, text.length), 0);

const prefixLength = (conditions: RouteConditions): number =>
  prefixesRank(conditions) ? longest(conditions.prefixes) : 0;

/** An exact host over a suffix, a longer suffix over a shorter one, that over none. */
const hostRank = ({ hosts, hostSuffixes }: RouteConditions): number =>
  hosts.length > 0 ? Number.MAX_SAFE_INTEGER : longest(hostSuffixes);

const has = (values: readonly unknown[]): number => (values.length > 0 ? 1 : 0);

/**
 * Compares how specific two alternatives are: by path (exact, regex, the longer prefix), then host, header, query and
 * method, each before none. Negative: `a` is the more specific.
 */
export const compareSpecificity = (a: RouteConditions, b: RouteConditions): number =>
  pathKind(b) - pathKind(a) ||
  prefixLength(b) - prefixLength(a) ||
  hostRank(b) - hostRank(a) ||
  has(b.headers) - has(a.headers) ||
  has(b.queryParams) - has(a.queryParams) ||
  has(b.methods) - has(a.methods);
