import type { RouteConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { preflightHeaderNames, preflightMethod } from '../../../../domain/gateway/route-transforms/cors-policy.js';
import type { RoutableRequest } from '../../../../domain/gateway/routing/route-matches.js';
import type { RouteTable } from '../../../../domain/gateway/routing/route-table.js';
import type { EncodedSeparators } from '../../../../domain/http/path-normalisation.js';
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
import { encodedPathFault } from './check-encoded-path.js';

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

/** The method and headers that select a route. */
type RoutedHead = Pick<RoutableRequest, 'method' | 'headers'>;

/**
 * Finds the route of a request and runs its stages.
 *
 * @param separators `keep`: paths may have encoded separators, which most routes do not get
 * @param unrouted what holds for requests without a route
 */
export const chooseRoute = (
  table: RouteTable,
  routes: ReadonlyMap<RouteConfiguration, CompiledRoute>,
  separators: EncodedSeparators,
  { rate, preflight: unroutedPreflight }: UnroutedRequests,
  problems: ProblemAnswerer,
): Stage => {
  const refuse = (exchange: Exchange, detail: string): StageOutcome | Promise<StageOutcome> => {
    const answer: Stage = () => problems.answer(exchange, 'no_route', detail);
    return rate === null ? answer(exchange) : runStages([rate, answer], exchange);
  };
  const find = (
    { client, request, target: { host, path, query } }: RoutedExchange,
    { method, headers }: RoutedHead,
    otherPath = path,
  ): CompiledRoute | undefined => {
    const scheme = client.scheme ?? request.connection.scheme;
    const found = table.find({ method, host, path: otherPath, query, headers, scheme });
    return found === null ? undefined : routes.get(found);
  };
  const pathFault = (exchange: Exchange, wanted: RoutedHead, route: CompiledRoute | undefined): string | null => {
    const { target } = exchange;
    if (separators === 'refuse' || !target.path.includes('%')) return null;
    return encodedPathFault(target.path, route, (path) => find(exchange, wanted, path));
  };
  const run = (
    exchange: Exchange,
    wanted: RoutedHead,
    route: CompiledRoute,
    { responseRules, stages }: CompiledRoute | PreflightAnswer,
  ): StageOutcome | Promise<StageOutcome> => {
    const fault = pathFault(exchange, wanted, route);
    exchange.route = route;
    exchange.upstream = route.configuration.upstream;
    exchange.errorPage = route.errorPage;
    exchange.responseRules = responseRules;
    route.inFlight += 1;
    return fault === null ? runStages(stages, exchange) : problems.answer(exchange, 'unsafe_path', fault);
  };
  const answersPreflights =
    unroutedPreflight !== null || [...routes.values()].some(({ preflight }) => preflight !== null);
  return (exchange) => {
    const { request, forwarded } = exchange;
    const own: RoutedHead = { method: request.method, headers: forwarded.headers };
    // A request to the server itself (RFC 9110, section 9.3.7) belongs to no upstream.
    if (exchange.target.path === '*') return refuse(exchange, 'No route matches the target "*".');
    const asked = answersPreflights ? announcedHead(own) : null;
    const announced = asked === null ? undefined : find(exchange, asked);
    if (asked !== null && announced !== undefined && announced.preflight !== null)
      return run(exchange, asked, announced, announced.preflight);
    const route = find(exchange, own);
    if (route !== undefined) return run(exchange, own, route, route);
    const fault = pathFault(exchange, own, undefined);
    if (fault !== null) return problems.answer(exchange, 'unsafe_path', fault);
    if (asked === null || announced !== undefined || unroutedPreflight === null)
      return refuse(exchange, 'No route of this gateway matches the request.');
    // So that a page can read the 404 of the request that follows.
    exchange.responseRules = unroutedPreflight.responseRules;
    return runStages(unroutedPreflight.stages, exchange);
  };
};

/**
 * The method that a preflight announces, and its headers with those that it announces, without values. Null: the request
 * is no preflight.
 */
export const announcedHead = ({ method, headers }: RoutedHead): RoutedHead | null => {
  const announced = preflightMethod(method, headers);
  if (announced === null) return null;
  return { method: announced, headers: [...headers, ...preflightHeaderNames(headers).flatMap((name) => [name, ''])] };
};
