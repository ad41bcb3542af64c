import type { ServiceIdentifier } from 'inversify';
import type { AgentFactory } from '../agent/agent-tokens.js';

/** What a gateway needs for agents in its own process. */
export const embeddedAgentTokens = {
  /** Loads what makes agents; rejects where their modules cannot be loaded. */
  loadAgentFactory: Symbol('loadAgentFactory') as ServiceIdentifier<() => Promise<AgentFactory>>,
} as const;
