import type { RouteConfiguration } from '../../../domain/configuration/gateway-configuration.js';
import type { RouteTable } from '../../../domain/routing/route-table.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { CompiledRoute } from '../compiled-route.js';
import { runStages, type Stage } from '../stage.js';

/** Finds the route and goes on with its stages. */
export const chooseRoute =
  (table: RouteTable, routes: ReadonlyMap<RouteConfiguration, CompiledRoute>, problems: ProblemAnswerer): Stage =>
  (exchange) => {
    // What is asked of the server itself (RFC 9110, section 9.3.7) is not asked of any one upstream.
    if (exchange.path === '*') return problems.answer(exchange, 'no_route', 'No route takes the target "*".');
    const found = table.find({
      method: exchange.request.method,
      host: exchange.host,
      path: exchange.path,
      query: exchange.query,
      headers: exchange.headers,
    });
    const route = found && routes.get(found);
    if (!route) return problems.answer(exchange, 'no_route', 'No route of this gateway takes the request.');
    exchange.route = route;
    route.inFlight += 1;
    return runStages(route.stages, exchange);
  };
