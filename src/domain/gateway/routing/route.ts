import { ok, type Result } from '../../shared/result.js';
import type { RouteConfiguration } from '../configuration/gateway-configuration.js';
import type { PathTestCompiler } from './path-pattern.js';
import { compileMatches, type RouteConditions } from './route-matches.js';

/** A compiled route. */
export interface Route {
  readonly configuration: RouteConfiguration;
  readonly conditions: RouteConditions;
  /** Position in the file, from 0. */
  readonly fileOrder: number;
}

/** Compiles a route. The error lists all faults of its matches. */
export const compileRoute = (
  configuration: RouteConfiguration,
  fileOrder: number,
  compilePattern: PathTestCompiler,
): Result<Route, readonly string[]> => {
  const separators = configuration.policies.path.allowEncodedSlash ? 'keep' : 'refuse';
  const conditions = compileMatches(configuration.matches, compilePattern, separators);
  return conditions.ok ? ok({ configuration, conditions: conditions.value, fileOrder }) : conditions;
};
