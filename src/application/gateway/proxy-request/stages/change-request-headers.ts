import type { StageOf } from '../exchange.js';
import type { RouteHeaderRules } from '../header-rules-in-force.js';
import { placeholdersOf } from '../placeholder-values.js';

/**
 * Applies the header rules of a route to the request that is forwarded. It runs after agents and rate limits, which see
 * the request without the rules. Load balancing does too: a rule that removes Cookie leaves sticky sessions intact.
 */
export const changeRequestHeaders =
  (rules: RouteHeaderRules): StageOf<never, 'forwarded'> =>
  (exchange) => {
    const { forwarded } = exchange;
    forwarded.balancingHeaders = forwarded.headers;
    forwarded.headers = rules.apply(forwarded.headers, () => placeholdersOf(exchange));
    return 'continue';
  };
