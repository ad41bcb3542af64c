import type { RouteConfiguration } from '../../../domain/configuration/gateway-configuration.js';
import type { RouteTable } from '../../../domain/routing/route-table.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { CompiledRoute } from '../compiled-route.js';
import type { Exchange } from '../exchange.js';
import { runStages, type Stage, type StageOutcome } from '../stage.js';

/**
 * Finds the route and goes on with its stages.
 *
 * @param unrouted what requests that no route takes go through before they are told so; null: nothing
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
  return (exchange) => {
    // What is asked of the server itself (RFC 9110, section 9.3.7) is not asked of any one upstream.
    if (exchange.path === '*') return refuse(exchange, 'No route takes the target "*".');
    const found = table.find({
      method: exchange.request.method,
      host: exchange.host,
      path: exchange.path,
      query: exchange.query,
      headers: exchange.headers,
    });
    const route = found && routes.get(found);
    if (!route) return refuse(exchange, 'No route of this gateway takes the request.');
    exchange.route = route;
    route.inFlight += 1;
    return runStages(route.stages, exchange);
  };
};
