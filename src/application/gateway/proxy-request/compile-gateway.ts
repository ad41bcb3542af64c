import { missingCodings } from '../../../domain/gateway/configuration/compress-schema.js';
import type {
  AgentConfiguration,
  GatewayConfiguration,
  LimitsConfiguration,
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { RateLimits } from '../../../domain/gateway/configuration/rate-limit-options.js';
import type { ErrorPageTemplate } from '../../../domain/gateway/error-pages/error-page.js';
import {
  configuredOwnedHeaders,
  userIdHeader,
} from '../../../domain/gateway/identity-headers/configured-owned-headers.js';
import { type BodySizeLimit, bodySizeLimit } from '../../../domain/gateway/limits/request-limits.js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import { compileRouteTable } from '../../../domain/gateway/routing/route-table.js';
import { longMethods } from '../../../domain/http/request-method.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { BodyCompressor } from '../../ports/gateway/body-compressor.js';
import type { BodyInflater } from '../../ports/gateway/body-inflater.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { RequestAdmissions } from '../admit/request-admissions.js';
import type { RequestAudit } from '../audit/audit-trail.js';
import type { TargetChooser } from '../choose-upstream/chosen-target.js';
import type { CircuitBreakerHolder } from '../circuit-breakers/circuit-breaker-holder.js';
import type { RouteBreakers } from '../circuit-breakers/route-breakers.js';
import type { DescriptorGuard } from '../guard-resources/descriptor-guard.js';
import type { RateLimiter } from '../limit-rate/rate-limiter.js';
import type { StatusReports } from '../report-status/status-reports.js';
import type { RouteFiles } from '../run-gateway/prepare-route-files.js';
import type { ProblemAnswerer } from './answer-problem.js';
import { ResponseCompressor } from './compress-response.js';
import { withCors } from './cors-rules.js';
import { noResponseRules, type ResponseHeadRule, type Stage } from './exchange.js';
import { RetryAllowance } from './forwarding-rules.js';
import { HeaderRulesInForce, type RouteHeaderRules, responseHeaderRule } from './header-rules-in-force.js';
import { ResponseInspector } from './inspect-response.js';
import { inspectionLimits } from './inspection-limits.js';
import { compileMirror } from './mirror/compile-mirror.js';
import type { RequestMirror } from './mirror/request-mirror.js';
import type { RouteAgent } from './route-agent.js';
import { admitRequest } from './stages/admit-request.js';
import { answerBuiltin } from './stages/answer-builtin.js';
import { answerFixed, answerRedirect } from './stages/answer-fixed.js';
import { askAgents } from './stages/ask-agents.js';
import { bufferRequest } from './stages/buffer-request.js';
import { changeRequestHeaders } from './stages/change-request-headers.js';
import { checkRequest, limitBody, resolveTarget } from './stages/check-request.js';
import { type CompiledRoute, chooseRoute } from './stages/choose-route.js';
import { limitRouteRate, limitUnroutedRate } from './stages/limit-rate.js';
import {
  countForwards,
  type DeclaredHeaderNames,
  IdentityHeaderFilter,
  offerReadableCodings,
  prepareHeaders,
} from './stages/prepare-headers.js';
import { type CompiledRewrites, compileRewrites, forwardPath } from './stages/rewrite-path.js';
import { compileSides } from './stages/split-traffic.js';
import { responseTurnBack } from './turn-back.js';
import { sendToUpstream } from './upstream-forwarder.js';

/** The services of stages that do not change with the configuration. */
export interface StageServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly problems: ProblemAnswerer;
  readonly inflater: BodyInflater;
  readonly compressor: BodyCompressor;
  readonly reports: StatusReports;
  readonly pathPatterns: PathPatternCompiler;
  readonly admissions: RequestAdmissions;
  readonly descriptors: DescriptorGuard;
  readonly routeBreakers: RouteBreakers;
  readonly digest: SecretDigest;
  readonly audit: RequestAudit;
}

/** The agents, upstreams and limiter of one configuration. */
export interface GatewayPeers {
  readonly agents: ReadonlyMap<string, AgentClient>;
  readonly upstreams: ReadonlyMap<string, TargetChooser>;
  readonly limiter: RateLimiter;
  readonly declaredHeaders: DeclaredHeaderNames;
  readonly files: RouteFiles;
}

/** A configuration, compiled for the request path. */
export interface CompiledGateway {
  /** The stages of every request. The last chooses the route and runs its stages. */
  readonly stages: readonly Stage[];
  /** For responses to requests without a route. */
  readonly responseRules: readonly ResponseHeadRule[];
  /** For errors of requests without a route; null: the standard page. */
  readonly errorPage: ErrorPageTemplate | null;
  /** For answers to input that is no request; null: none. */
  readonly rejectionRules: RouteHeaderRules | null;
  /** In matching order. */
  readonly routes: readonly CompiledRoute[];
  /** By route. */
  readonly breakers: ReadonlyMap<string, CircuitBreakerHolder>;
}

/** Compiles a configuration into stages and a route table. An error names the invalid route. */
export const compileGateway = (
  configuration: GatewayConfiguration,
  peers: GatewayPeers,
  services: StageServices,
): Result<CompiledGateway, string> => {
  const { limits } = configuration;
  const { compressor, metrics, problems, pathPatterns } = services;
  const table = compileRouteTable(configuration.routes, pathPatterns);
  if (!table.ok) return err(table.error.map(({ routeId, message }) => `route "${routeId}": ${message}`).join('; '));
  const missing = missingCodings(configuration.routes, compressor.codings);
  if (missing.length > 0)
    return err(missing.map(({ routeId, message }) => `route "${routeId}": ${message}`).join('; '));
  const rewrites = compileRewrites(configuration.routes, pathPatterns);
  if (!rewrites.ok) return rewrites;
  const separators = configuration.routes.some(({ policies }) => policies.path.allowEncodedSlash) ? 'keep' : 'refuse';
  const allowances = new Map(
    configuration.upstreams.map(({ name, retries }) => [name, new RetryAllowance(retries.budgetPercent)]),
  );
  const breakers = new Map(
    configuration.routes.flatMap(({ id, circuitBreaker }) =>
      circuitBreaker === null ? [] : [[id, services.routeBreakers.of(id, circuitBreaker)]],
    ),
  );
  const identity = new IdentityHeaderFilter(
    configuration.agents.flatMap(({ config }) => configuredOwnedHeaders(config)),
    peers.declaredHeaders,
  );
  const unroutedRate = limitUnroutedRate(limits.rates, { ...services, limiter: peers.limiter });
  const headerRules = new HeaderRulesInForce(identity, services.logger);
  const unroutedHeaders = headerRules.of(
    configuration.unrouted.responseHeaders,
    'response-headers',
    'requests without a route',
  );
  const unrouted = withCors(configuration.unrouted.cors, responseRules(unroutedHeaders), unroutedRate);
  const shared = {
    ...services,
    peers,
    allowances,
    breakers,
    identity,
    headerRules,
    unroutedRate,
    rewrites: rewrites.value,
  };
  const routes = new Map(
    table.value.routes.map((route) => [
      route,
      compileSides(route, (side) => compileRoute(side, configuration, shared), services.random),
    ]),
  );
  return ok({
    stages: [
      checkRequest(
        limits,
        longMethods(configuration.routes.flatMap(({ matches }) => matches.methods)),
        problems,
        metrics,
      ),
      resolveTarget(problems, separators),
      chooseRoute(table.value, routes, separators, { rate: unroutedRate, preflight: unrouted.preflight }, problems),
    ],
    responseRules: unrouted.responseRules,
    rejectionRules: unroutedHeaders,
    errorPage: errorPageOf(configuration.unrouted.errorPageFile ?? configuration.errorPageFile, peers.files),
    routes: [...routes.values()],
    breakers,
  });
};

const noRateLimits: RateLimits = { global: null, perClient: null, perRoute: null };

/** The services that the routes of one configuration share. */
interface RouteServices extends StageServices {
  readonly peers: GatewayPeers;
  /** By upstream. */
  readonly allowances: ReadonlyMap<string, RetryAllowance>;
  /** By route. */
  readonly breakers: ReadonlyMap<string, CircuitBreakerHolder>;
  readonly identity: IdentityHeaderFilter;
  /** Charges requests without a route, and preflights; null: no limit applies to them. */
  readonly unroutedRate: Stage | null;
  readonly headerRules: HeaderRulesInForce;
  readonly rewrites: CompiledRewrites;
}

/** In lower case, each once, in the order of the agents. Agents that do not see requests set none. */
const userIdHeadersOf = (agents: readonly AgentConfiguration[]): readonly string[] => [
  ...new Set(
    agents.flatMap(({ events, config }) => (events.includes('request_headers') ? [userIdHeader(config)] : [])),
  ),
];

const compileRoute = (
  route: RouteConfiguration,
  configuration: GatewayConfiguration,
  services: RouteServices,
): CompiledRoute => {
  const { headerRules, identity, metrics, peers, problems } = services;
  const { limits } = configuration;
  const maxBodySize = bodySizeLimit(route.policies.maxBodySize, limits.maxBodySizeBytes);
  // INVARIANT: the configuration rules refuse a route that names an undefined agent or upstream.
  const blocks = route.agents.map((name) =>
    configuration.agents.find((agent) => agent.name === name),
  ) as AgentConfiguration[];
  const agents = blocks.map((block) => routeAgent(block, peers, metrics));
  const userIdHeaders = userIdHeadersOf(blocks);
  const { inflater, clock } = services;
  const inspection = { inflater, clock, limits: inspectionLimits(limits) };
  // Builtin handlers must report the state of an overloaded gateway: only the route's own policy limits them.
  const rates = route.builtinHandler === null ? limits.rates : noRateLimits;
  const rate = limitRouteRate(
    rates,
    { id: route.id, policy: route.policies.rateLimit },
    agents.length === 0 ? null : { filter: identity, userIdHeaders },
    {
      ...services,
      limiter: peers.limiter,
    },
  );
  const stages: (Stage | null)[] = [
    prepareHeaders(route.policies.forwardsIdentityHeaders ? null : identity),
    rate.beforeAgents,
    limitBody(maxBodySize, problems, metrics),
  ];
  const upstream = configuration.upstreams.find(({ name }) => name === route.upstream);
  if (route.builtinHandler === null) stages.push(admit(route, upstream, services));
  if (agents.length > 0) stages.push(askAgents(agents, { ...services, inspection, maxBodySize }));
  stages.push(rate.afterAgents);
  if (route.builtinHandler !== null) stages.push(answerBuiltin(route.builtinHandler, services.reports));
  stages.push(ownAnswer(route, services));
  const { requestHeaders, responseHeaders } = route.policies;
  const responseHeaderRules = headerRules.of(responseHeaders, 'response-headers', route.id);
  if (upstream !== undefined) {
    const requestHeaderRules = headerRules.of(requestHeaders, 'request-headers', route.id);
    if (requestHeaderRules !== null) stages.push(changeRequestHeaders(requestHeaderRules));
    stages.push(countForwards, forwardPath(route, services));
    if (route.policies.bufferRequests) {
      stages.push(bufferRequest({ ...services, maxBufferOctets: limits.maxBodyBufferBytes, maxBodySize }));
    }
    if (agents.some(({ events }) => events.has('response_body_chunk'))) stages.push(offerReadableCodings);
    const responseInspector = ResponseInspector.of(agents, { ...services, inspection });
    const mirror = compileMirror(route, configuration, services);
    stages.push(send(route, upstream, { ...services, limits, maxBodySize, responseInspector, mirror }));
  }
  return {
    configuration: route,
    stages: stages.filter((stage) => stage !== null),
    metrics: metrics.route(route.id),
    errorPage: errorPageOf(route.policies.errorPageFile ?? configuration.errorPageFile, peers.files),
    ...withCors(
      route.policies.cors,
      responseRules(responseHeaderRules),
      route.builtinHandler === null ? services.unroutedRate : null,
    ),
    userIdHeaders,
    replacedResponseHeaders: responseHeaderRules?.replaced ?? new Set(),
    inFlight: 0,
  };
};

/** INVARIANT: `prepareRouteFiles` has read every file of the configuration. */
const errorPageOf = (path: string | null, { errorPages }: RouteFiles): ErrorPageTemplate | null =>
  path === null ? null : (errorPages.get(path) as ErrorPageTemplate);

/** What changes in the heads of a route's responses: turned-back rewrites, header rules, CORS, in this order. */
const responseRules = (headerRules: RouteHeaderRules | null): readonly ResponseHeadRule[] =>
  headerRules === null ? noResponseRules : [responseHeaderRule(headerRules)];

/** The answer of a route whose response the configuration determines; null: another route. */
const ownAnswer = ({ redirect, respond }: RouteConfiguration, { peers, problems }: RouteServices): Stage | null => {
  if (redirect !== null) return answerRedirect(redirect, problems);
  if (respond === null) return null;
  const { body } = respond;
  if (body === null) return answerFixed(respond, '');
  // INVARIANT: the files of all routes were read before.
  return answerFixed(respond, body.kind === 'text' ? body.text : (peers.files.fixedBodies.get(body.path) as string));
};

/** How long a request may queue on a route without upstream; milliseconds. */
const ownAnswerTimeoutMs = 60_000;

const timeoutOf = ({ policies }: RouteConfiguration, { timeouts }: UpstreamConfiguration): number =>
  policies.requestTimeoutMs ?? timeouts.requestMs;

const admit = (
  route: RouteConfiguration,
  upstream: UpstreamConfiguration | undefined,
  services: RouteServices,
): Stage => {
  const { admissions } = services;
  const slots = admissions.route(route.id);
  const timeoutMs = upstream === undefined ? ownAnswerTimeoutMs : timeoutOf(route, upstream);
  return admitRequest({ ...services, slots, timeoutMs });
};

interface SendingRoute extends RouteServices {
  readonly mirror: RequestMirror | null;
  readonly limits: LimitsConfiguration;
  readonly maxBodySize: BodySizeLimit;
  readonly responseInspector: ResponseInspector | null;
}

const send = (route: RouteConfiguration, upstream: UpstreamConfiguration, services: SendingRoute): Stage => {
  const { peers, allowances, breakers, limits, admissions } = services;
  // INVARIANT: every upstream of the configuration has a target chooser and a retry allowance.
  return sendToUpstream(upstream.name, {
    ...services,
    chooser: peers.upstreams.get(upstream.name) as TargetChooser,
    allowance: allowances.get(upstream.name) as RetryAllowance,
    retries: upstream.retries,
    streams: admissions.streams,
    timeoutMs: timeoutOf(route, upstream),
    readTimeoutMs: route.policies.readTimeoutMs,
    routeBreaker: breakers.get(route.id) ?? null,
    turnBack: responseTurnBack(route, upstream, services.rewrites.get(route.id) ?? null),
    maxBufferedResponseOctets: route.policies.bufferResponses ? limits.maxBodyBufferBytes : null,
    responseCompressor:
      route.policies.compression === null ? null : new ResponseCompressor(route.policies.compression, services),
  });
};

const routeAgent = (
  { name, events, failureMode }: AgentConfiguration,
  { agents }: GatewayPeers,
  metrics: GatewayMetrics,
): RouteAgent => ({
  client: agents.get(name) as AgentClient,
  events: new Set(events),
  failureMode,
  metrics: metrics.agent(name),
});
