import type { Container, ServiceIdentifier } from 'inversify';
import { type AgentFactory, agentTokens } from '../agent/agent-tokens.js';
import { gatewayTokens } from '../gateway/gateway-tokens.js';

/** What a gateway needs for agents in its own process. */
export const embeddedAgentTokens = {
  /** Loads what makes agents; rejects where their modules cannot be loaded. */
  loadAgentFactory: Symbol('loadAgentFactory') as ServiceIdentifier<() => Promise<AgentFactory>>,
} as const;

/**
 * Adds the agent's own modules to the container of a gateway: what its embedded agents are made of.
 */
export const addAgentModule = async (container: Container): Promise<void> => {
  const { agentModule } = await import('../agent/agent-module.js');
  await container.load(agentModule);
  container
    .bind(agentTokens.exchangeRates)
    .toResolvedValue((local) => local, [gatewayTokens.localRateLimits])
    .inSingletonScope();
};

/**
 * Loads the agent's modules once, with the first embedded agent: a gateway without one starts
 * sooner. Parts that somebody has added to the container before are kept.
 *
 * @param adapt replaces parts of the agent, once they are there
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
      // The next configuration may try again.
      loaded = null;
      throw error;
    });
    return loaded;
  };
};
