import { re2PathPatterns } from '../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { type ConfigurationProblem, unplacedProblem } from '../domain/configuration/configuration-problem.js';
import type { AgentOptionLocator } from '../domain/configuration/gateway/agent-option-places.js';
import type { GatewayConfiguration } from '../domain/configuration/gateway-configuration.js';
import { compileRouteTable } from '../domain/routing/route-table.js';
import { configurationFile } from './configuration-file.js';

export interface GatewayCheck {
  readonly problems: readonly ConfigurationProblem[];
  /** What the configuration holds, on one line; null where there was an error. */
  readonly summary: string | null;
}

/** Loaded when it is needed: it takes everything that serves, and a configuration can be read without. */
const checkReferred = async (
  configuration: GatewayConfiguration,
  locate: AgentOptionLocator | undefined,
): Promise<readonly ConfigurationProblem[]> => {
  const { checkReferences } = await import('./check-references.js');
  return checkReferences(configuration, locate);
};

/**
 * Loads a configuration and reports. With `thorough` also what it refers to: the certificates and keys of listeners, and
 * the keys and lists of the agents that run in the gateway's own process, are read as they would be at the start.
 */
export const checkGateway = async (configFile: string, thorough: boolean): Promise<GatewayCheck> => {
  const { configuration, problems, locate } = await configurationFile(configFile).load();
  if (configuration === null) return { problems, summary: null };
  const routes = compileRouteTable(configuration.routes, re2PathPatterns);
  const faults = routes.ok
    ? []
    : routes.error.map(({ routeId, message }) => unplacedProblem('error', `route "${routeId}": ${message}`));
  const found = thorough ? await checkReferred(configuration, locate) : [];
  const all = [...problems, ...faults, ...found];
  const isFine = all.every(({ severity }) => severity !== 'error');
  return { problems: all, summary: isFine ? `The configuration is fine: ${counts(configuration)}.` : null };
};

const counts = ({ listeners, routes, upstreams, agents }: GatewayConfiguration): string =>
  [
    counted(listeners.length, 'listener'),
    counted(routes.length, 'route'),
    counted(upstreams.length, 'upstream'),
    counted(agents.length, 'agent'),
  ].join(', ');

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
