import type { RouteConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { preflightHeaderNames, preflightMethod } from '../../../../domain/gateway/route-transforms/cors-policy.js';
import type { RouteTable } from '../../../../domain/gateway/routing/route-table.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { PreflightAnswer } from '../cors-rules.js';
import {
  type Exchange,
  type ExchangeView,
  type MatchedRoute,
  runStages,
  type Stage,
  type StageOutcome,
} from '../exchange.js';

/** A route with its stages, made when the configuration loads. */
export interface CompiledRoute extends MatchedRoute {
  readonly stages: readonly Stage[];
  /** Null: a preflight is an OPTIONS request like others. */
  readonly preflight: PreflightAnswer | null;
}

/** What holds for requests without a route. */
interface UnroutedRequests {
  /** Runs before such a request is refused; null: no rate limit applies. */
  readonly rate: Stage | null;
  /** Null: `defaults` has no `cors`. */
  readonly preflight: PreflightAnswer | null;
}

/** The parts of an exchange that determine its route. */
type RoutedExchange = ExchangeView<'client' | 'request' | 'target' | 'forwarded'>;

/**
 * Finds the route of a request and runs its stages.
 *
 * @param unrouted what holds for requests without a route
 */
export const chooseRoute = (
  table: RouteTable,
  routes: ReadonlyMap<RouteConfiguration, CompiledRoute>,
  { rate, preflight: unroutedPreflight }: UnroutedRequests,
  problems: ProblemAnswerer,
): Stage => {
  const refuse = (exchange: Exchange, detail: string): StageOutcome | Promise<StageOutcome> => {
    const answer: Stage = () => problems.answer(exchange, 'no_route', detail);
    return rate === null ? answer(exchange) : runStages([rate, answer], exchange);
  };
  const find = (
    { client, request, target: { host, path, query } }: RoutedExchange,
    method: string,
    headers: HeaderList,
  ): CompiledRoute | undefined => {
    const scheme = client.scheme ?? request.connection.scheme;
    const found = table.find({ method, host, path, query, headers, scheme });
    return found === null ? undefined : routes.get(found);
  };
  const run = (
    exchange: Exchange,
    route: CompiledRoute,
    { responseRules, stages }: CompiledRoute | PreflightAnswer,
  ): StageOutcome | Promise<StageOutcome> => {
    exchange.route = route;
    exchange.upstream = route.configuration.upstream;
    exchange.errorPage = route.errorPage;
    exchange.responseRules = responseRules;
    route.inFlight += 1;
    return runStages(stages, exchange);
  };
  const answersPreflights =
    unroutedPreflight !== null || [...routes.values()].some(({ preflight }) => preflight !== null);
  return (exchange) => {
    const { request, forwarded } = exchange;
    // A request to the server itself (RFC 9110, section 9.3.7) belongs to no upstream.
    if (exchange.target.path === '*') return refuse(exchange, 'No route matches the target "*".');
    const asked = answersPreflights ? preflightMethod(request.method, request.headers) : null;
    const announced = asked === null ? undefined : find(exchange, asked, announcedHeaders(forwarded.headers));
    if (announced !== undefined && announced.preflight !== null) return run(exchange, announced, announced.preflight);
    const route = find(exchange, request.method, forwarded.headers);
    if (route !== undefined) return run(exchange, route, route);
    if (asked === null || announced !== undefined || unroutedPreflight === null)
      return refuse(exchange, 'No route of this gateway matches the request.');
    // So that a page can read the 404 of the request that follows.
    exchange.responseRules = unroutedPreflight.responseRules;
    return runStages(unroutedPreflight.stages, exchange);
  };
};

/** The headers of a preflight and, without values, those of the request that it announces. */
const announcedHeaders = (headers: HeaderList): HeaderList => [
  ...headers,
  ...preflightHeaderNames(headers).flatMap((name) => [name, '']),
];
