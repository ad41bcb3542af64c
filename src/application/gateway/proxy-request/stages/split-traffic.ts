import type { RouteConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import {
  randomSide,
  sideOfRequest,
  type WeightedSide,
  weightedSides,
} from '../../../../domain/gateway/load-balancing/traffic-split.js';
import type { Random } from '../../../ports/shared/random.js';
import { runStages, type Stage } from '../exchange.js';
import type { CompiledRoute } from './choose-route.js';

/**
 * Compiles a route. With a split, each side is compiled as a route with that upstream. The sides share the limits, breaker and
 * metrics of the route. The side is chosen first, so that rates, agents and logs know the upstream.
 *
 * @param compile compiles a route without a split
 */
export const compileSides = (
  route: RouteConfiguration,
  compile: (side: RouteConfiguration) => CompiledRoute,
  random: Pick<Random, 'fraction'>,
): CompiledRoute => {
  const { split } = route;
  if (split === null) return compile(route);
  const sides = weightedSides(split);
  const compiled = new Map(sides.map((side) => [side, compile({ ...route, upstream: side.upstream, split: null })]));
  const { key } = split;
  const divide: Stage = (exchange) => {
    const { client, forwarded } = exchange;
    const side: WeightedSide =
      key === null
        ? randomSide(sides, random.fraction())
        : sideOfRequest(sides, key, client.address, forwarded.headers);
    const { stages, responseRules } = compiled.get(side) as CompiledRoute;
    exchange.upstream = side.upstream;
    exchange.responseRules = responseRules;
    return runStages(stages, exchange);
  };
  return { ...(compiled.get(sides[0]) as CompiledRoute), configuration: route, stages: [divide] };
};
