import type { RouteConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { RouteTable } from '../../../../domain/gateway/routing/route-table.js';
import type { ProblemAnswerer } from '../answer-problem.js';
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
}

/** The parts of an exchange that determine its route. */
type RoutedExchange = ExchangeView<'client' | 'request' | 'target' | 'forwarded'>;

/**
 * Finds the route of a request and runs its stages.
 *
 * @param unrouted the stage for requests without a route, which runs before they are refused; null: none
 */
export const chooseRoute = (
  table: RouteTable,
  routes: ReadonlyMap<RouteConfiguration, CompiledRoute>,
  unrouted: Stage | null,
  problems: ProblemAnswerer,
): Stage => {
  const refuse = (exchange: Exchange, detail: string): StageOutcome | Promise<StageOutcome> => {
    const answer: Stage = () => problems.answer(exchange, 'no_route', detail);
    return unrouted === null ? answer(exchange) : runStages([unrouted, answer], exchange);
  };
  const find = ({ client, request, target, forwarded }: RoutedExchange): CompiledRoute | undefined => {
    const found = table.find({
      method: request.method,
      host: target.host,
      path: target.path,
      query: target.query,
      headers: forwarded.headers,
      scheme: client.scheme ?? request.connection.scheme,
    });
    return found === null ? undefined : routes.get(found);
  };
  return (exchange) => {
    // A request to the server itself (RFC 9110, section 9.3.7) belongs to no upstream.
    if (exchange.target.path === '*') return refuse(exchange, 'No route matches the target "*".');
    const route = find(exchange);
    if (route === undefined) return refuse(exchange, 'No route of this gateway matches the request.');
    exchange.route = route;
    exchange.upstream = route.configuration.upstream;
    exchange.responseRules = route.responseRules;
    exchange.errorPage = route.errorPage;
    route.inFlight += 1;
    return runStages(route.stages, exchange);
  };
};
