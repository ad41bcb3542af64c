import type { Container, ServiceIdentifier } from 'inversify';
import { type AgentFactory, agentTokens } from '../agent/agent-tokens.js';
import { gatewayTokens } from '../gateway/gateway-tokens.js';

/** Tokens of embedded agents. */
export const embeddedAgentTokens = {
  /** Loads the agent factory. Rejects if the agent's modules cannot be loaded. */
  loadAgentFactory: Symbol('loadAgentFactory') as ServiceIdentifier<() => Promise<AgentFactory>>,
} as const;

/** Adds the agent's modules to a gateway container. */
export const addAgentModule = async (container: Container): Promise<void> => {
  const { agentModule } = await import('../agent/agent-module.js');
  await container.load(agentModule);
  container
    .bind(agentTokens.exchangeRates)
    .toResolvedValue((local) => local, [gatewayTokens.localRateLimits])
    .inSingletonScope();
};

/**
 * Loads the agent's modules once, with the first embedded agent, so that gateways without one start
 * faster. Keeps existing bindings.
 *
 * @param adapt replaces bindings of the agent after loading
 */
export const agentFactoryLoader = (
  container: Container,
  adapt: () => void = () => undefined,
): (() => Promise<AgentFactory>) => {
  const load = async (): Promise<AgentFactory> => {
    if (!container.isBound(agentTokens.agentFactory)) await addAgentModule(container);
    adapt();
    return container.get(agentTokens.agentFactory);
  };
  let loaded: Promise<AgentFactory> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      // Allows the next configuration to retry.
      loaded = null;
      throw error;
    });
    return loaded;
  };
};
