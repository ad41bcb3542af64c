import { parseAuthority } from '../../http/host.js';
import { normalisePath } from '../../http/path-normalisation.js';
import { utf8ByteString } from '../../shared/byte-string.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { NamedMatch, RouteConfiguration } from '../configuration/gateway-configuration.js';
import type { PathPatternCompiler, PathTest } from './path-pattern.js';

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

/** A route of the configuration, compiled. */
export interface Route {
  readonly configuration: RouteConfiguration;
  readonly conditions: RouteConditions;
  /** Place in the file, from 0. */
  readonly fileOrder: number;
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
 * Compiles a route. Paths and prefixes are normalised as those of requests are. The error lists everything that makes
 * it one that no request could match, or that is malformed.
 */
export const compileRoute = (
  configuration: RouteConfiguration,
  fileOrder: number,
  compilePattern: PathPatternCompiler,
): Result<Route, readonly string[]> => {
  const { matches } = configuration;
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
  return faults.length > 0 ? err(faults) : ok({ configuration, conditions, fileOrder });
};
