import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import type { RoutableRequest } from '../../../domain/gateway/routing/route-matches.js';
import { compileRouteTable, type PassedRoute } from '../../../domain/gateway/routing/route-table.js';
import { longMethods } from '../../../domain/http/request-method.js';
import { ProblemAnswerer } from '../../gateway/proxy-request/answer-problem.js';
import { withCors } from '../../gateway/proxy-request/cors-rules.js';
import { type Exchange, noResponseRules, runStages } from '../../gateway/proxy-request/exchange.js';
import { checkRequest, resolveTarget } from '../../gateway/proxy-request/stages/check-request.js';
import { announcedHead, type CompiledRoute, chooseRoute } from '../../gateway/proxy-request/stages/choose-route.js';
import type { GatewayMetrics, RouteMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { SentAnswer } from './explained-exchange.js';

const nothing = (): undefined => undefined;

/** Counts nothing: the request is not real. */
const noMetrics = new Proxy({}, { get: () => nothing }) as GatewayMetrics & RouteMetrics;

/** A problem answer, as the log shows it. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
}

/** Answers problems as the gateway does, and keeps the last for the explanation. */
export class RecordedProblems {
  refusal: Refusal | null = null;
  readonly answerer: ProblemAnswerer;

  constructor() {
    const note = (_message: string, fields: LogFields = {}): void => {
      this.refusal = { code: String(fields['error_type']), detail: String(fields['detail']) };
    };
    const logger: Logger = { error: note, warn: note, info: note, debug: note, trace: note };
    this.answerer = new ProblemAnswerer(logger);
  }
}

/** The route of a request, found by the stages of the request path. */
export interface FoundRoute {
  /** Null: none, or the request is refused before. */
  readonly route: RouteConfiguration | null;
  /** The routes before it. Empty if the request is refused before routing. */
  readonly passed: readonly PassedRoute[];
  /** What the routes were compared with; null: the request is refused before routing. */
  readonly routed: RoutableRequest | null;
  /** The gateway answers the preflight of this method; null: it does not. */
  readonly preflight: string | null;
}

const withoutStages = (configuration: RouteConfiguration): CompiledRoute => ({
  configuration,
  stages: [],
  metrics: noMetrics,
  ...withCors(configuration.policies.cors, noResponseRules, null),
  errorPage: null,
  userIdHeaders: [],
  replacedResponseHeaders: new Set(),
  inFlight: 0,
});

/** What routes match: the request, or the one that its preflight announces. */
const routableOf = ({ client, forwarded, request, target }: Exchange, isPreflight: boolean): RoutableRequest => {
  const own = { method: request.method, headers: forwarded.headers };
  const { method, headers } = (isPreflight ? announcedHead(own) : null) ?? own;
  const { host, path, query } = target;
  return { method, host, path, query, headers, scheme: client.scheme ?? request.connection.scheme };
};

/** Runs the stages that find the route of an exchange. */
export const findRoute = (
  configuration: GatewayConfiguration,
  exchange: Exchange,
  answer: () => SentAnswer | null,
  problems: RecordedProblems,
  patterns: PathPatternCompiler,
): FoundRoute => {
  const { limits, routes, unrouted } = configuration;
  const table = compileRouteTable(routes, patterns);
  const none: FoundRoute = { route: null, passed: [], routed: null, preflight: null };
  // The load of a configuration reports faults of its routes.
  if (!table.ok) return none;
  const separators = routes.some(({ policies }) => policies.path.allowEncodedSlash) ? 'keep' : 'refuse';
  const compiled = new Map(table.value.routes.map((route) => [route, withoutStages(route)]));
  const { answerer } = problems;
  const methods = longMethods(routes.flatMap(({ matches }) => matches.methods));
  const before = [checkRequest(limits, methods, answerer, noMetrics), resolveTarget(answerer, separators)];
  if (runStages(before, exchange) !== 'continue') return none;
  const preflight = withCors(unrouted.cors, noResponseRules, null).preflight;
  void chooseRoute(table.value, compiled, separators, { rate: null, preflight }, answerer)(exchange);
  const route = exchange.route?.configuration ?? null;
  const isPreflight = answer()?.status === 204;
  const routed = routableOf(exchange, isPreflight && route !== null);
  return { route, passed: table.value.passedOver(routed), routed, preflight: isPreflight ? routed.method : null };
};
