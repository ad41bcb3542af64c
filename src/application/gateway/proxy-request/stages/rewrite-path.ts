import type { RouteConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import {
  type CompiledRewrite,
  compileRewrite,
  type ForwardedPathRules,
  forwardedPath,
} from '../../../../domain/gateway/route-transforms/path-rewrite.js';
import type { PathPatternCompiler } from '../../../../domain/gateway/routing/path-pattern.js';
import { canonicalName } from '../../../../domain/http/canonical-name.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { receivedPath } from '../../../../domain/http/received-path.js';
import { parseRequestTarget } from '../../../../domain/http/request-target.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { Stage, StageExchange, StageOf } from '../exchange.js';

/** The prefix that the upstream does not see, for links that it writes. */
const prefixHeader = 'X-Forwarded-Prefix';
const canonicalPrefixHeader = canonicalName(prefixHeader.toLowerCase());

/** The rewrites of routes, by route. Routes without one are absent. */
export type CompiledRewrites = ReadonlyMap<string, CompiledRewrite>;

/** Compiles the rewrites of all routes. An error names the route. */
export const compileRewrites = (
  routes: readonly RouteConfiguration[],
  compilePattern: PathPatternCompiler,
): Result<CompiledRewrites, string> => {
  const compiled = new Map<string, CompiledRewrite>();
  for (const route of routes) {
    const { rewrite } = route.policies.path;
    if (rewrite === null) continue;
    const own = compileRewrite(rewrite, compilePattern);
    if (!own.ok) return err(`route "${route.id}": the rewrite is not valid: ${own.error}`);
    compiled.set(route.id, own.value);
  }
  return ok(compiled);
};

/** The rules of a route; null: its upstream gets the client's normalised path. */
const forwardedPathRules = (
  { policies }: RouteConfiguration,
  rewrite: CompiledRewrite | null,
): ForwardedPathRules | null => {
  const { allowEncodedSlash, mergeSlashes } = policies.path;
  if (rewrite === null && !allowEncodedSlash && mergeSlashes) return null;
  return { rewrite, allowsEncodedSlash: allowEncodedSlash, mergesSlashes: mergeSlashes };
};

/** Only the gateway sets X-Forwarded-Prefix on a route that removes prefixes. */
const withPrefix = (headers: HeaderList, prefix: string | null): HeaderList => {
  const fields: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (canonicalName(name.toLowerCase()) !== canonicalPrefixHeader) fields.push(name, headers[index + 1] as string);
  }
  if (prefix !== null) fields.push(prefixHeader, prefix);
  return fields;
};

/** The path with slashes and encoded separators as the client sent them. */
const received = ({ request, target }: StageExchange<'request' | 'target'>): string => {
  const parsed = parseRequestTarget(request.target, request.method);
  return parsed.ok ? receivedPath(parsed.value.path) : target.path;
};

/** Sets the path that the upstream gets. Refuses a request whose rewritten path is unsafe. */
const rewritePath = (
  rules: ForwardedPathRules,
  removesPrefixes: boolean,
  problems: ProblemAnswerer,
): StageOf<'request' | 'target', 'forwarded'> => {
  const isAsReceived = rules.allowsEncodedSlash || !rules.mergesSlashes;
  return (exchange) => {
    const { forwarded, target } = exchange;
    const path = forwardedPath(rules, target.path, isAsReceived ? received(exchange) : target.path);
    if (!path.ok) return problems.answer(exchange, 'unsafe_path', `The rewritten path ${path.error}.`);
    if (path.value !== target.path) {
      forwarded.target = target.query === null ? path.value : `${path.value}?${target.query}`;
    }
    if (removesPrefixes) {
      forwarded.headers = withPrefix(forwarded.headers, rules.rewrite?.removedPrefix(target.path) ?? null);
    }
    return 'continue';
  };
};

/** The stage that sets the path for the upstream; null: the upstream gets the client's normalised path. */
export const forwardPath = (
  route: RouteConfiguration,
  { rewrites, problems }: { readonly rewrites: CompiledRewrites; readonly problems: ProblemAnswerer },
): Stage | null => {
  const rules = forwardedPathRules(route, rewrites.get(route.id) ?? null);
  if (rules === null) return null;
  const { rewrite } = route.policies.path;
  return rewritePath(rules, rewrite?.kind === 'prefix' && rewrite.strip !== null, problems);
};
