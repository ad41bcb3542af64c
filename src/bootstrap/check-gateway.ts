import { Container } from 'inversify';
import { re2PathPatterns } from '../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { tryAgent } from '../application/configure-agent/try-agent.js';
import type { LogFields, Logger } from '../application/ports/logger.js';
import { prepareListenerTls } from '../application/run-gateway/prepare-listener-tls.js';
import { decodeAgentOptions, unreadOptionProblems } from '../domain/configuration/agent/decode-agent-options.js';
import { toConfigurationProblem } from '../domain/configuration/agent/option-problem-text.js';
import type { AgentOptionProblem } from '../domain/configuration/agent-configuration.js';
import type { ConfigurationProblem } from '../domain/configuration/configuration-problem.js';
import type {
  AgentConfiguration,
  GatewayConfiguration,
  ListenerConfiguration,
} from '../domain/configuration/gateway-configuration.js';
import { compileRouteTable } from '../domain/routing/route-table.js';
import { agentModule } from './agent-module.js';
import { agentTokens } from './agent-tokens.js';
import { configurationFile } from './configuration-file.js';
import { gatewayAdaptersModule } from './gateway-adapters-module.js';
import { gatewayTokens } from './gateway-tokens.js';
import { sharedTokens } from './shared-tokens.js';

export interface GatewayCheck {
  readonly problems: readonly ConfigurationProblem[];
  /** What the configuration holds, on one line; null where there was an error. */
  readonly summary: string | null;
}

const silent = (_message: string, _fields?: LogFields): void => undefined;
const noLogger: Logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/**
 * Loads a configuration and reports. With `thorough` also what it refers to: the certificates and keys of listeners, and
 * the keys and lists of the agents that run in the gateway's own process, are read as they would be at the start.
 */
export const checkGateway = async (configFile: string, thorough: boolean): Promise<GatewayCheck> => {
  const { configuration, problems } = await configurationFile(configFile).load();
  if (configuration === null) return { problems, summary: null };
  const routes = compileRouteTable(configuration.routes, re2PathPatterns);
  const faults = routes.ok
    ? []
    : routes.error.map(({ routeId, message }) => problem('error', `route "${routeId}": ${message}`));
  const found = thorough ? await checkReferences(configuration) : [];
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

/** Every adapter that a configuration is checked with; nothing is served and nothing logged. */
const checkContainer = (): Container => {
  const container = new Container();
  container.load(gatewayAdaptersModule, agentModule);
  container.bind(sharedTokens.logger).toConstantValue(noLogger);
  return container;
};

const checkReferences = async ({ listeners, agents }: GatewayConfiguration): Promise<ConfigurationProblem[]> => [
  ...(await checkTls(listeners)),
  ...(await Promise.all(agents.map(checkAgentOf))).flat(),
];

const checkTls = async (listeners: readonly ListenerConfiguration[]): Promise<ConfigurationProblem[]> => {
  const prepared = await prepareListenerTls(listeners, checkContainer().get(gatewayTokens.listenerTls));
  return prepared.ok
    ? prepared.value.warnings.map((message) => problem('warning', message))
    : prepared.error.map((message) => problem('error', message));
};

const sameText = ({ severity, option, message }: AgentOptionProblem): string => `${severity} ${option} ${message}`;

/** Agents behind a socket read their own files, perhaps on another machine's volume: they check them themselves. */
const checkAgentOf = async ({ name, transport, config }: AgentConfiguration): Promise<ConfigurationProblem[]> => {
  if (transport.kind !== 'embedded') return [];
  const { options } = decodeAgentOptions(config);
  // What cannot be decoded was reported with the file.
  if (options === null) return [];
  const { problems } = await tryAgent(options, checkContainer().get(agentTokens.agentParts));
  // What needs no file to be read was reported with the configuration, at its place there.
  const told = new Set(unreadOptionProblems(options).map(sameText));
  const found = problems.filter((one) => !told.has(sameText(one)));
  return found.map((one) => toConfigurationProblem(one, `agent "${name}": `));
};

const problem = (severity: ConfigurationProblem['severity'], message: string): ConfigurationProblem => ({
  severity,
  message,
  position: null,
  line: null,
  suggestion: null,
});
