import type { AgentOptionProblem, AgentOptions } from '../../domain/configuration/agent-configuration.js';
import type { AgentParts } from './agent-parts.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './prepared-agent.js';

/** More than a fetch of a key set may take, in milliseconds: whatever is wrong with one is to be reported. */
const keySetWaitMs = 12_000;

export interface TriedAgent {
  /** Errors and warnings. */
  readonly problems: readonly AgentOptionProblem[];
  /** Null where there was an error. */
  readonly agent: Pick<PreparedAgent, 'methods' | 'failOpen' | 'authorization'> | null;
}

/**
 * Makes everything ready that an agent with these options would need, each key set fetched once, and lets go of it again.
 */
export const tryAgent = async (options: AgentOptions, parts: AgentParts): Promise<TriedAgent> => {
  const prepared = await prepareAgent(options, parts, keySetWaitMs);
  if (!prepared.ok) return { problems: prepared.error, agent: null };
  const { agent, warnings } = prepared.value;
  agent.keySets.release();
  return { problems: warnings, agent };
};
