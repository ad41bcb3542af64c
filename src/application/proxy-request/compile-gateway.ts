import type {
  AgentConfiguration,
  GatewayConfiguration,
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../domain/configuration/gateway-configuration.js';
import { configuredOwnedHeaders } from '../../domain/identity/configured-owned-headers.js';
import type { PathPatternCompiler } from '../../domain/routing/path-pattern.js';
import { compileRouteTable } from '../../domain/routing/route-table.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { AgentClient } from '../ports/agent-client.js';
import type { BodyInflater } from '../ports/body-inflater.js';
import type { Clock } from '../ports/clock.js';
import type { GatewayMetrics } from '../ports/gateway-metrics.js';
import type { Logger } from '../ports/logger.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { UpstreamClient } from '../ports/upstream-client.js';
import type { StatusReports } from '../report-status/status-reports.js';
import type { ProblemAnswerer } from './answer-problem.js';
import type { CompiledRoute } from './compiled-route.js';
import { inspectionLimits } from './inspection-limits.js';
import { ResponseJudge } from './judge-response.js';
import { OwnedHeadersOfAgents } from './owned-headers-of-agents.js';
import type { RouteAgent } from './route-agent.js';
import type { Stage } from './stage.js';
import { answerBuiltin } from './stages/answer-builtin.js';
import { askAgents } from './stages/ask-agents.js';
import { checkRequest } from './stages/check-request.js';
import { chooseRoute } from './stages/choose-route.js';
import { forwardToUpstream } from './stages/forward-to-upstream.js';
import { limitBody } from './stages/limit-body.js';
import { offerReadableCodings } from './stages/offer-readable-codings.js';
import { prepareHeaders } from './stages/prepare-headers.js';
import { resolveTarget } from './stages/resolve-target.js';
import type { TargetLedger } from './target-ledger.js';

/** What the stages of every configuration work with. */
export interface StageDependencies {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly problems: ProblemAnswerer;
  readonly inflater: BodyInflater;
  readonly reports: StatusReports;
  readonly pathPatterns: PathPatternCompiler;
}

/** What one configuration's stages send requests to. */
export interface GatewayPeers {
  readonly agents: ReadonlyMap<string, AgentClient>;
  readonly upstreams: ReadonlyMap<
    string,
    { readonly client: UpstreamClient; readonly ledgers: readonly TargetLedger[] }
  >;
}

/** A configuration as the request path runs it. */
export interface CompiledGateway {
  /** Every request goes through these; the last chooses the route and goes on with its own. */
  readonly stages: readonly Stage[];
  /** In matching order. */
  readonly routes: readonly CompiledRoute[];
}

/** Turns a configuration into stages and a route table. An error names the route that cannot be. */
export const compileGateway = (
  configuration: GatewayConfiguration,
  peers: GatewayPeers,
  dependencies: StageDependencies,
): Result<CompiledGateway, string> => {
  const { limits } = configuration;
  const { metrics, problems, pathPatterns } = dependencies;
  const table = compileRouteTable(configuration.routes, pathPatterns);
  if (!table.ok) return err(table.error.map(({ routeId, message }) => `route "${routeId}": ${message}`).join('; '));
  const routes = new Map(
    table.value.routes.map((route) => [route, compileRoute(route, configuration, peers, dependencies)]),
  );
  return ok({
    stages: [
      checkRequest(limits, problems, metrics),
      resolveTarget(problems),
      chooseRoute(table.value, routes, problems),
    ],
    routes: [...routes.values()],
  });
};

const compileRoute = (
  route: RouteConfiguration,
  configuration: GatewayConfiguration,
  peers: GatewayPeers,
  dependencies: StageDependencies,
): CompiledRoute => {
  const { metrics, problems } = dependencies;
  const { limits } = configuration;
  const maxBodyOctets = route.policies.maxBodySize ?? limits.maxBodySizeBytes;
  // INVARIANT: the rules of the configuration refuse a route whose agents or upstream are not defined.
  const blocks = route.agents.map((name) =>
    configuration.agents.find((agent) => agent.name === name),
  ) as AgentConfiguration[];
  const agents = blocks.map((block) => routeAgent(block, peers, metrics));
  const { inflater, clock } = dependencies;
  const inspection = { inflater, clock, limits: inspectionLimits(limits) };
  const stages: Stage[] = [];
  stages.push(prepareHeaders(agents.length === 0 ? null : ownedBy(agents, blocks)));
  stages.push(limitBody(maxBodyOctets, problems, metrics));
  if (agents.length > 0) stages.push(askAgents(agents, { ...dependencies, inspection, maxBodyOctets }));
  if (route.builtinHandler !== null) {
    stages.push(answerBuiltin(route.builtinHandler, dependencies.reports));
  } else {
    const upstream = configuration.upstreams.find(({ name }) => name === route.upstream) as UpstreamConfiguration;
    const peer = peers.upstreams.get(upstream.name);
    if (peer) {
      if (agents.some(({ events }) => events.has('response_body_chunk'))) stages.push(offerReadableCodings);
      const timeoutMs = route.policies.requestTimeoutMs ?? upstream.timeouts.requestMs;
      const responseJudge = ResponseJudge.of(agents, { ...dependencies, inspection });
      stages.push(forwardToUpstream(upstream, { ...dependencies, ...peer, maxBodyOctets, timeoutMs, responseJudge }));
    }
  }
  return { configuration: route, stages, metrics: metrics.route(route.id), inFlight: 0 };
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

const ownedBy = (agents: readonly RouteAgent[], blocks: readonly AgentConfiguration[]): OwnedHeadersOfAgents =>
  new OwnedHeadersOfAgents(
    agents.map(({ client }) => client),
    blocks.flatMap(({ config }) => configuredOwnedHeaders(config)),
  );
