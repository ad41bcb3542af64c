import type { HeaderList } from '../../http/header-list.js';
import { type EncodedSeparators, normalisePath, prefixTakes } from '../../http/path-normalisation.js';
import { queryParameters } from '../../http/query-parameters.js';
import { parseAuthority } from '../../http/request-target.js';
import { utf8ByteString } from '../../shared/byte-string.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { PathTest, PathTestCompiler } from './path-pattern.js';

/** The schemes of requests. */
export const requestSchemes = ['http', 'https'] as const;
export type RequestScheme = (typeof requestSchemes)[number];

/** The parts of a request that routing uses. */
export interface RoutableRequest {
  /** Case-sensitive (RFC 9110, section 9.1). */
  readonly method: string;
  /** Lower case, without port; null: an HTTP/1.0 request without one. */
  readonly host: string | null;
  /** Normalised. */
  readonly path: string;
  /** Raw, without the question mark. */
  readonly query: string | null;
  readonly headers: HeaderList;
  /** The scheme that an upstream would see in X-Forwarded-Proto. */
  readonly scheme: RequestScheme;
}

/** A request during one lookup. Rarely used parts are computed on first use. */
export class RequestView {
  readonly request: RoutableRequest;
  #headers: readonly string[] | null = null;
  #parameters: readonly string[] | null = null;

  constructor(request: RoutableRequest) {
    this.request = request;
  }

  /** `[name, value, ...]` with names in lower case. */
  headers(): readonly string[] {
    this.#headers ??= this.request.headers.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
    return this.#headers;
  }

  /** `[name, value, ...]`, decoded. */
  parameters(): readonly string[] {
    this.#parameters ??= this.request.query === null ? [] : queryParameters(this.request.query);
    return this.#parameters;
  }
}

// All kinds of match: configuration, compiled form, test and specificity.

/** A required header or query parameter. */
export interface NamedMatch {
  readonly name: string;
  /** Null: any value. */
  readonly value: string | null;
}

/** All kinds must match; of several values of one kind, one must match. An empty kind always matches. */
export interface RouteMatches {
  readonly paths: readonly string[];
  readonly pathPrefixes: readonly string[];
  readonly pathRegexes: readonly string[];
  /** Exact, or `*.suffix`; lower case. */
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
  readonly schemes: readonly RequestScheme[];
}

/** A compiled path-regex. */
export interface PathPattern {
  readonly source: string;
  readonly test: PathTest;
}

/** The compiled matches of a route. An empty kind always matches. */
export interface RouteConditions {
  readonly paths: readonly string[];
  readonly prefixes: readonly string[];
  readonly patterns: readonly PathPattern[];
  readonly hosts: readonly string[];
  /** `.example.com` for `*.example.com`. */
  readonly hostSuffixes: readonly string[];
  readonly methods: readonly string[];
  /** Names in lower case, values as byte strings. */
  readonly headers: readonly NamedMatch[];
  /** Names and values as byte strings. */
  readonly queryParams: readonly NamedMatch[];
  readonly schemes: readonly RequestScheme[];
}

const compileHost = (host: string): Result<string, string> => {
  const suffix = host.startsWith('*.') ? host.slice(2) : null;
  const name = parseAuthority(suffix ?? host);
  if (!name.ok || name.value.port !== null || name.value.original.endsWith(':')) {
    return err(`"${host}" is not a host: write a name such as "api.example.com", or "*.example.com"`);
  }
  return ok(suffix === null ? name.value.host : `.${name.value.host}`);
};

const compilePath =
  (separators: EncodedSeparators) =>
  (path: string): Result<string, string> => {
    const normal = path.startsWith('/') ? normalisePath(path, separators) : err('malformed_request');
    return normal.ok ? normal : err(`"${path}" is not a path of a request`);
  };

/** Compiles each source and collects the errors in `faults`. */
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
 * Compiles the matches of a route. Paths and prefixes are normalised like those of requests. The error lists every
 * match that is malformed or can never succeed.
 *
 * @param separators `keep`: the route gets paths with encoded separators
 */
export const compileMatches = (
  matches: RouteMatches,
  compilePattern: PathTestCompiler,
  separators: EncodedSeparators,
): Result<RouteConditions, readonly string[]> => {
  const faults: string[] = [];
  const pattern = (source: string): Result<PathPattern, string> => {
    const test = compilePattern(source);
    return test.ok ? ok({ source, test: test.value }) : err(`"${source}" is not a valid path-regex: ${test.error}`);
  };
  const hosts = collect(matches.hosts, compileHost, faults);
  const conditions: RouteConditions = {
    paths: collect(matches.paths, compilePath(separators), faults),
    prefixes: collect(matches.pathPrefixes, compilePath(separators), faults),
    patterns: collect(matches.pathRegexes, pattern, faults),
    hosts: hosts.filter((host) => !host.startsWith('.')),
    hostSuffixes: hosts.filter((host) => host.startsWith('.')),
    methods: matches.methods,
    headers: matches.headers.map((match) => named(match, match.name.toLowerCase())),
    queryParams: matches.queryParams.map((match) => named(match, utf8ByteString(match.name))),
    schemes: matches.schemes,
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

/** Whether a request meets every kind of condition with one of its values. */
export const meetsConditions = (conditions: RouteConditions, view: RequestView): boolean =>
  (conditions.methods.length === 0 || conditions.methods.includes(view.request.method)) &&
  (conditions.schemes.length === 0 || conditions.schemes.includes(view.request.scheme)) &&
  hostMatches(conditions, view.request.host) &&
  (conditions.headers.length === 0 || anyNamed(conditions.headers, view.headers())) &&
  (conditions.queryParams.length === 0 || anyNamed(conditions.queryParams, view.parameters())) &&
  pathMatches(conditions, view.request.path);

/** The kinds of match, as the configuration names them. */
export type MatchKind = 'path' | 'path-prefix' | 'path-regex' | 'host' | 'method' | 'header' | 'query-param' | 'scheme';

/** The kinds of condition that a request does not meet, for people. `meetsConditions` is true if there is none. */
export const failedKinds = (conditions: RouteConditions, view: RequestView): readonly MatchKind[] => {
  const { methods, schemes, headers, queryParams } = conditions;
  const { request } = view;
  const isMet: Readonly<Record<MatchKind, boolean>> = {
    path: pathMatches({ ...conditions, prefixes: [], patterns: [] }, request.path),
    'path-prefix': pathMatches({ ...conditions, paths: [], patterns: [] }, request.path),
    'path-regex': pathMatches({ ...conditions, paths: [], prefixes: [] }, request.path),
    host: hostMatches(conditions, request.host),
    method: methods.length === 0 || methods.includes(request.method),
    header: headers.length === 0 || anyNamed(headers, view.headers()),
    'query-param': queryParams.length === 0 || anyNamed(queryParams, view.parameters()),
    scheme: schemes.length === 0 || schemes.includes(request.scheme),
  };
  return (Object.keys(isMet) as MatchKind[]).filter((kind) => !isMet[kind]);
};

/** Exact path before regex before prefix before no path. */
const pathKind = ({ paths, patterns, prefixes }: RouteConditions): number => {
  if (paths.length > 0) return 3;
  if (patterns.length > 0) return 2;
  return prefixes.length > 0 ? 1 : 0;
};

/** Whether the prefixes of a route decide its specificity. */
export const prefixesRank = (conditions: RouteConditions): boolean => pathKind(conditions) === 1;

const longest = (texts: readonly string[]): number => texts.reduce((length, text) => Math.max(length, text.length), 0);

const prefixLength = (conditions: RouteConditions): number =>
  prefixesRank(conditions) ? longest(conditions.prefixes) : 0;

/** Exact host before longer suffix before shorter suffix before none. */
const hostRank = ({ hosts, hostSuffixes }: RouteConditions): number =>
  hosts.length > 0 ? Number.MAX_SAFE_INTEGER : longest(hostSuffixes);

const has = (values: readonly unknown[]): number => (values.length > 0 ? 1 : 0);

/**
 * Compares the specificity of two alternatives: by path (exact, regex, longer prefix), then host, header, query,
 * method and scheme. Negative: `a` is more specific.
 */
export const compareSpecificity = (a: RouteConditions, b: RouteConditions): number =>
  pathKind(b) - pathKind(a) ||
  prefixLength(b) - prefixLength(a) ||
  hostRank(b) - hostRank(a) ||
  has(b.headers) - has(a.headers) ||
  has(b.queryParams) - has(a.queryParams) ||
  has(b.methods) - has(a.methods) ||
  has(b.schemes) - has(a.schemes);
