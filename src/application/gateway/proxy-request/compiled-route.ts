import type { MatchedRoute } from './matched-route.js';
import type { Stage } from './stage.js';

/** A route with everything that its requests need, made when the configuration loads. */
export interface CompiledRoute extends MatchedRoute {
  readonly stages: readonly Stage[];
}
