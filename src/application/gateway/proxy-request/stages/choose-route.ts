import type { RouteConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { RouteTable } from '../../../../domain/gateway/routing/route-table.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { Exchange, ExchangeView, MatchedRoute, Stage, StageOutcome } from '../exchange.js';
import { runStages } from '../stage.js';

/** A route with its stages, made when the configuration loads. */
export interface CompiledRoute extends MatchedRoute {
  readonly stages: readonly Stage[];
}

/** The parts of an exchange that determine its route. */
type RoutedExchange = ExchangeView<'request' | 'target' | 'forwarded' | 'knownTarget'>;

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
  const places = new Map([...routes.keys()].map((configuration, place) => [configuration, place]));
  const compiled = [...routes.values()];
  const these = {};
  /** The index of the route of the request; -1: there is none. */
  const find = ({ request: { method }, target, forwarded, knownTarget }: RoutedExchange): number => {
    const known = knownTarget?.routeAmong(these) ?? -1;
    if (known >= 0) return known;
    const found = table.find({
      method,
      host: target.host,
      path: target.path,
      query: target.query,
      headers: forwarded.headers,
    });
    const place = found === null ? -1 : (places.get(found) ?? -1);
    knownTarget?.rememberRoute(these, place);
    return place;
  };
  return (exchange) => {
    // A request to the server itself (RFC 9110, section 9.3.7) belongs to no upstream.
    if (exchange.target.path === '*') return refuse(exchange, 'No route matches the target "*".');
    const route = compiled[find(exchange)];
    if (route === undefined) return refuse(exchange, 'No route of this gateway matches the request.');
    exchange.route = route;
    route.inFlight += 1;
    return runStages(route.stages, exchange);
  };
};
