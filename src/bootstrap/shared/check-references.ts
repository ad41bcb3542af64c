import { Container } from 'inversify';
import { tryAgent } from '../../application/agent/configure-agent/try-agent.js';
import { checkAgentTls } from '../../application/gateway/run-gateway/check-agent-tls.js';
import { prepareListenerTls } from '../../application/gateway/run-gateway/prepare-listener-tls.js';
import { prepareRouteFiles } from '../../application/gateway/run-gateway/prepare-route-files.js';
import { prepareUpstreamTls } from '../../application/gateway/run-gateway/prepare-upstream-tls.js';
import type { LogFields, Logger } from '../../application/ports/shared/logger.js';
import { decodeAgentOptions, unreadOptionProblems } from '../../domain/agent/configuration/decode-agent-options.js';
import { locatedProblem, toConfigurationProblem } from '../../domain/agent/configuration/option-report.js';
import type { AgentOptionLocator, AgentOptionProblem } from '../../domain/configuration/agent-option-problem.js';
import { type ConfigurationProblem, unplacedProblem } from '../../domain/configuration/configuration-problem.js';
import type {
  AgentConfiguration,
  GatewayConfiguration,
  ListenerConfiguration,
  UpstreamConfiguration,
} from '../../domain/gateway/configuration/gateway-configuration.js';
import { agentTokens } from '../agent/agent-tokens.js';
import { gatewayAdaptersModule } from '../gateway/gateway-adapters-module.js';
import { gatewayTokens } from '../gateway/gateway-tokens.js';
import { addAgentModule } from './embedded-agents.js';
import { sharedTokens } from './shared-tokens.js';

const silent = (_message: string, _fields?: LogFields): void => undefined;
const noLogger: Logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/** The adapters for a check; serves nothing and logs nothing. */
const checkContainer = async (): Promise<Container> => {
  const container = new Container();
  container.load(gatewayAdaptersModule);
  await addAgentModule(container);
  container.bind(sharedTokens.logger).toConstantValue(noLogger);
  return container;
};

/**
 * Reads certificates and keys of listeners and of TLS to upstreams and agents, files of routes, and keys, lists and
 * policies of embedded agents, as the gateway would.
 */
export const checkReferences = async (
  configuration: GatewayConfiguration,
  locate: AgentOptionLocator = () => null,
): Promise<ConfigurationProblem[]> => {
  const { listeners, upstreams, agents } = configuration;
  return [
    ...(await checkTls(listeners)),
    ...(await checkTlsOf(upstreams)),
    ...(await checkTlsTo(agents)),
    ...(await checkRouteFiles(configuration)),
    ...(await Promise.all(agents.map((agent) => checkAgentOf(agent, locate)))).flat(),
  ];
};

const checkRouteFiles = async (configuration: GatewayConfiguration): Promise<ConfigurationProblem[]> => {
  const prepared = await prepareRouteFiles(configuration, (await checkContainer()).get(gatewayTokens.textFiles));
  return prepared.ok ? [] : prepared.error.map((message) => unplacedProblem('error', message));
};

const checkTls = async (listeners: readonly ListenerConfiguration[]): Promise<ConfigurationProblem[]> => {
  const prepared = await prepareListenerTls(listeners, (await checkContainer()).get(gatewayTokens.listenerTls));
  return prepared.ok
    ? prepared.value.warnings.map((message) => unplacedProblem('warning', message))
    : prepared.error.map((message) => unplacedProblem('error', message));
};

const checkTlsOf = async (upstreams: readonly UpstreamConfiguration[]): Promise<ConfigurationProblem[]> => {
  const prepared = await prepareUpstreamTls(upstreams, (await checkContainer()).get(gatewayTokens.upstreamTls));
  return prepared.ok
    ? prepared.value.warnings.map((message) => unplacedProblem('warning', message))
    : prepared.error.map((message) => unplacedProblem('error', message));
};

const checkTlsTo = async (agents: readonly AgentConfiguration[]): Promise<ConfigurationProblem[]> => {
  if (!agents.some(({ transport }) => transport.kind === 'grpc' && transport.tls !== null)) return [];
  const container = await checkContainer();
  const { engine, files } = container.get(gatewayTokens.listenerTls);
  const certificates = await container.get(agentTokens.loadCertificateReader)();
  const { errors, warnings } = await checkAgentTls(agents, { engine, files, certificates });
  return [
    ...warnings.map((message) => unplacedProblem('warning', message)),
    ...errors.map((message) => unplacedProblem('error', message)),
  ];
};

const sameText = ({ severity, option, message }: AgentOptionProblem): string => `${severity} ${option} ${message}`;

/**
 * Checks an embedded agent. External agents check their own files, which may be on another host.
 */
const checkAgentOf = async (
  { name, transport, config }: AgentConfiguration,
  locate: AgentOptionLocator,
): Promise<ConfigurationProblem[]> => {
  if (transport.kind !== 'embedded') return [];
  const { options } = decodeAgentOptions(config);
  // Invalid options were reported with the file.
  if (options === null) return [];
  const { problems } = await tryAgent(options, (await checkContainer()).get(agentTokens.agentProcessServices));
  // Problems that need no file access were reported with the configuration.
  const reported = new Set(unreadOptionProblems(options).map(sameText));
  const found = problems.filter((one) => !reported.has(sameText(one)));
  return found.map((one) => toConfigurationProblem(locatedProblem(one, locate(name, one)), `agent "${name}": `));
};
