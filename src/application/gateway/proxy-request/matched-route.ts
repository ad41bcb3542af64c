import type { RouteConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { RouteMetrics } from '../../ports/gateway/gateway-metrics.js';

/** The route that took a request, as far as every stage may know it. */
export interface MatchedRoute {
  readonly configuration: RouteConfiguration;
  readonly metrics: RouteMetrics;
  /** Requests of this route under way. */
  inFlight: number;
}
