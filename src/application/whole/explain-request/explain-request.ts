import { hiddenInText, hiddenSecret, looksSecret } from '../../../domain/configuration/hidden-text.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import {
  configuredOwnedHeaders,
  userIdHeader,
} from '../../../domain/gateway/identity-headers/configured-owned-headers.js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import type { NamedMatch, RoutableRequest } from '../../../domain/gateway/routing/route-matches.js';
import type { PassedRoute } from '../../../domain/gateway/routing/route-table.js';
import { allHeaders, type HeaderList, withHeader } from '../../../domain/http/header-list.js';
import { isSecretName } from '../../../domain/shared/secret.js';
import { withCors } from '../../gateway/proxy-request/cors-rules.js';
import { type Exchange, noResponseRules, runStages } from '../../gateway/proxy-request/exchange.js';
import { HeaderRulesInForce, responseHeaderRule } from '../../gateway/proxy-request/header-rules-in-force.js';
import { answerRedirect } from '../../gateway/proxy-request/stages/answer-fixed.js';
import { changeRequestHeaders } from '../../gateway/proxy-request/stages/change-request-headers.js';
import {
  DeclaredHeaderNames,
  IdentityHeaderFilter,
  offerReadableCodings,
  prepareHeaders,
} from '../../gateway/proxy-request/stages/prepare-headers.js';
import { compileRewrites, forwardPath } from '../../gateway/proxy-request/stages/rewrite-path.js';
import type { DescribedRequest } from './described-request.js';
import { explainLimits, explainRates } from './explain-limits.js';
import { explainAgents, explainResponse, explainSplit, explainUpstream } from './explain-upstream.js';
import { explainedExchange } from './explained-exchange.js';
import { type ExplainedMiss, type ExplainedStep, type Explanation, quoted, step } from './explanation.js';
import { findRoute, RecordedProblems, type Refusal } from './route-finding.js';

const isSecretHeader = (name: string): boolean =>
  /^(?:authorization|proxy-authorization|cookie|set-cookie)$/i.test(name) || isSecretName(name) || looksSecret(name);

const shownField = (name: string, value: string): string =>
  `${name}: ${isSecretHeader(name) ? hiddenSecret : hiddenInText(value)}`;

const shownFields = (headers: HeaderList): readonly string[] =>
  headers.flatMap((name, index) => (index % 2 === 0 ? [shownField(name, headers[index + 1] ?? '')] : []));

const namedText = ({ name, value }: NamedMatch): string =>
  value === null ? name : `${name}=${isSecretHeader(name) ? hiddenSecret : value}`;

/** The values of a route and of a request for each kind of match that fails. */
const missOf = ({ route, failed }: PassedRoute, request: RoutableRequest): ExplainedMiss => {
  const { matches } = route;
  const wanted: Readonly<Record<PassedRoute['failed'][number], readonly string[]>> = {
    path: matches.paths,
    'path-prefix': matches.pathPrefixes,
    'path-regex': matches.pathRegexes,
    host: matches.hosts,
    method: matches.methods,
    header: matches.headers.map(namedText),
    'query-param': matches.queryParams.map(namedText),
    scheme: matches.schemes,
  };
  const actual = (kind: PassedRoute['failed'][number]): string => {
    switch (kind) {
      case 'host':
        return request.host ?? 'no host';
      case 'method':
        return request.method;
      case 'scheme':
        return request.scheme;
      case 'header':
        return 'no such header or value';
      case 'query-param':
        return 'no such parameter or value';
      default:
        return request.path;
    }
  };
  return {
    route: route.id,
    failed: failed.map((match) => ({ match, wanted: wanted[match], actual: actual(match) })),
  };
};

const userIdHeadersOf = ({ agents }: GatewayConfiguration, route: RouteConfiguration): readonly string[] => [
  ...new Set(
    agents.flatMap(({ name, events, config }) =>
      route.agents.includes(name) && events.includes('request_headers') ? [userIdHeader(config)] : [],
    ),
  ),
];

const removedNames = (before: HeaderList, after: HeaderList): readonly string[] => {
  const left = new Set(after.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return [...new Set(before.filter((name, index) => index % 2 === 0 && !left.has(name.toLowerCase())))];
};

/** The headers as the upstream gets them: an upstream with a `host-header` sets Host itself. */
const withUpstreamHost = (headers: HeaderList, upstream: UpstreamConfiguration | undefined): HeaderList => {
  const hostHeader = upstream?.hostHeader ?? { kind: 'preserve' };
  if (hostHeader.kind === 'preserve') return headers;
  return withHeader(headers, 'Host', hostHeader.kind === 'fixed' ? hostHeader.host : '(that of the target)');
};

/** The steps that change the request, by the stages that change it. */
const explainForwarding = (
  { agents, routes, upstreams }: GatewayConfiguration,
  route: RouteConfiguration,
  exchange: Exchange,
  identity: IdentityHeaderFilter,
  problems: RecordedProblems,
  patterns: PathPatternCompiler,
): readonly ExplainedStep[] => {
  const rules = new HeaderRulesInForce(identity, silent).of(route.policies.requestHeaders, 'request-headers', route.id);
  const rewrites = compileRewrites(routes, patterns);
  const inspects = agents.some(
    ({ name, events }) => route.agents.includes(name) && events.includes('response_body_chunk'),
  );
  const stages = [
    rules === null ? null : changeRequestHeaders(rules),
    rewrites.ok ? forwardPath(route, { rewrites: rewrites.value, problems: problems.answerer }) : null,
    inspects ? offerReadableCodings : null,
  ].filter((stage) => stage !== null);
  const isForwarded = runStages(stages, exchange) === 'continue';
  const upstream = upstreams.find(({ name }) => name === exchange.upstream);
  const fields = shownFields(withUpstreamHost(exchange.forwarded.headers, upstream));
  const headers = step('request-headers', fields, { rules: rules !== null, headers: [...fields] });
  if (!isForwarded) return [headers];
  const { path, query } = exchange.target;
  const from = query === null ? path : `${path}?${query}`;
  const to = exchange.forwarded.target ?? from;
  const line =
    to === from ? `the path stays ${hiddenInText(from)}` : `${hiddenInText(from)} becomes ${hiddenInText(to)}`;
  return [headers, step('rewrite', [line], { from: hiddenInText(from), to: hiddenInText(to) })];
};

const nothing = (): undefined => undefined;
const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };

const explainCors = ({ policies }: RouteConfiguration, exchange: Exchange): readonly ExplainedStep[] => {
  if (policies.cors === null) return [];
  const [rule] = withCors(policies.cors, noResponseRules, null).responseRules;
  const fields = rule === undefined ? [] : shownFields(rule([], exchange, 'upstream'));
  const origin = allHeaders(exchange.request.headers, 'origin')[0];
  const line = origin === undefined ? 'the request has no Origin' : `for the origin ${origin}`;
  return [step('cors', [`${line}: ${fields.join('; ')}`], { origin: origin ?? null, headers: [...fields] })];
};

const explainResponseHeaders = (
  { id, policies }: RouteConfiguration,
  exchange: Exchange,
  identity: IdentityHeaderFilter,
): readonly ExplainedStep[] => {
  const rules = new HeaderRulesInForce(identity, silent).of(policies.responseHeaders, 'response-headers', id);
  if (rules === null || policies.responseHeaders === null) return [];
  const fields = shownFields(responseHeaderRule(rules)([], exchange, 'upstream'));
  const { remove } = policies.responseHeaders;
  const removed = remove.length === 0 ? null : `removed: ${remove.join(', ')}`;
  return [step('response-headers', [...fields, removed], { headers: [...fields], removed: [...remove] })];
};

const explainAnswer = (
  route: RouteConfiguration,
  exchange: Exchange,
  problems: RecordedProblems,
  location: () => string | null,
): readonly ExplainedStep[] => {
  const { builtinHandler, redirect, respond } = route;
  if (builtinHandler !== null) {
    return [step('builtin', [`the built-in endpoint "${builtinHandler}" answers`], { handler: builtinHandler })];
  }
  if (respond !== null) {
    const { status, contentType, body } = respond;
    const source = body?.kind === 'file' ? ` with the file ${body.path}` : '';
    return [
      step('respond', [`${status}${contentType === null ? '' : ` ${contentType}`}${source}`], {
        status,
        content_type: contentType,
        body_file: body?.kind === 'file' ? body.path : null,
      }),
    ];
  }
  if (redirect === null) return [];
  void answerRedirect(redirect, problems.answerer)(exchange);
  const to = location();
  if (to === null) return [];
  return [
    step('redirect', [`${redirect.status} to ${hiddenInText(to)}`], {
      status: redirect.status,
      location: hiddenInText(to),
    }),
  ];
};

const explainPreflight = (what: string, headers: HeaderList): readonly ExplainedStep[] => {
  const fields = shownFields(headers);
  return [
    step('preflight', [`the gateway answers the preflight for ${what} with 204`, ...fields], { headers: [...fields] }),
  ];
};

/** What to change in the configuration so that the request is not refused; null: unknown. */
const remedyOf = ({ code }: Refusal, { request }: Exchange, route: RouteConfiguration | null): string | null => {
  const isEncodedSlash = code === 'unsafe_path' && /%2f|%5c/i.test(request.target) && !request.target.includes('..');
  return isEncodedSlash && route?.policies.path.allowEncodedSlash !== true
    ? 'If the upstream needs encoded slashes, write allow-encoded-slash #true in policies of the route.'
    : null;
};

/**
 * Explains what the gateway would do with a request. It runs the stages of the request path that need no peer, on an
 * exchange that no client has sent. Agents, stores and upstreams are not asked.
 */
export const explainRoute = (
  configuration: GatewayConfiguration,
  described: DescribedRequest,
  patterns: PathPatternCompiler,
): Explanation => {
  const { exchange, listener, answer } = explainedExchange(configuration, described);
  const problems = new RecordedProblems();
  const { passed, preflight, routed, route } = findRoute(configuration, exchange, answer, problems, patterns);
  const stepsOf = (found: RouteConfiguration): readonly ExplainedStep[] => {
    const owned = configuration.agents.flatMap(({ config }) => configuredOwnedHeaders(config));
    const identity = new IdentityHeaderFilter(owned, new DeclaredHeaderNames());
    if (preflight !== null) {
      const fields = answer()?.headers ?? [];
      return [...explainPreflight(preflight, fields), ...explainResponseHeaders(found, exchange, identity)];
    }
    const before = exchange.forwarded.headers;
    const { upstream, steps: split } = explainSplit(found, exchange);
    exchange.upstream = upstream;
    if (exchange.route !== null)
      exchange.route = { ...exchange.route, userIdHeaders: userIdHeadersOf(configuration, found) };
    void prepareHeaders(found.policies.forwardsIdentityHeaders ? null : identity)(exchange);
    const removed = removedNames(before, exchange.forwarded.headers);
    const limited = { client: exchange.client.address, path: exchange.target.path };
    const rates = explainRates(configuration, found, identity.current(), limited);
    const hasUpstream = found.upstream !== null || found.split !== null;
    const names = upstream === null ? (found.split?.sides ?? []).map((side) => side.upstream) : [upstream];
    return [
      ...split,
      ...(removed.length === 0
        ? []
        : [step('removed-headers', [`not forwarded: ${quoted(removed)}`], { names: [...removed] })]),
      ...rates.before,
      explainLimits(configuration, found),
      ...explainAgents(configuration, found),
      ...rates.after,
      ...(hasUpstream ? explainForwarding(configuration, found, exchange, identity, problems, patterns) : []),
      ...explainAnswer(found, exchange, problems, () => allHeaders(answer()?.headers ?? [], 'location')[0] ?? null),
      ...(problems.refusal !== null ? [] : explainResponse(found, hasUpstream)),
      ...(hasUpstream && problems.refusal === null ? explainUpstream(configuration, found, names) : []),
      ...explainResponseHeaders(found, exchange, identity),
      ...explainCors(found, exchange),
    ];
  };
  const unrouted = preflight === null ? [] : explainPreflight('a request without a route', answer()?.headers ?? []);
  const steps = problems.refusal !== null ? [] : route === null ? unrouted : stepsOf(route);
  const { refusal } = problems;
  return {
    request: {
      method: exchange.request.method,
      scheme: exchange.client.scheme ?? exchange.request.connection.scheme,
      host: exchange.target.host,
      path: exchange.target.path,
      client: exchange.client.address,
      listener: listener.name,
    },
    passed: routed === null ? [] : passed.map((one) => missOf(one, routed)),
    route: route === null ? null : { id: route.id, priority: route.priority },
    steps,
    refusal:
      refusal === null
        ? null
        : { status: answer()?.status ?? 0, ...refusal, remedy: remedyOf(refusal, exchange, route) },
  };
};
