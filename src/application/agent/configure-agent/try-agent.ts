import type { AgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AgentParts } from './agent-parts.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './prepared-agent.js';
import { unopenedStores } from './unopened-stores.js';

/** Nobody signs on at an agent that is only tried, nor gets a token of it. */
const uncounted: AgentParts['outcomes'] = {
  completed: () => undefined,
  refused: () => undefined,
  exchanged: () => undefined,
};

/** More than a fetch of a key set or of metadata may take, in milliseconds: whatever is wrong with one is to be reported. */
const keySetWaitMs = 12_000;

export interface TriedAgent {
  /** Errors and warnings. */
  readonly problems: readonly AgentOptionProblem[];
  /** Null where there was an error. */
  readonly agent: Pick<PreparedAgent, 'methods' | 'failOpen' | 'authorization' | 'tokenExchange'> | null;
}

/**
 * Makes everything ready that an agent with these options would need, each key set and metadata fetched once, and lets go of it
 * again. Session stores are not opened, and no verifier is warmed up.
 */
export const tryAgent = async (options: AgentOptions, parts: Omit<AgentParts, 'outcomes'>): Promise<TriedAgent> => {
  const saml = { ...parts.saml, stores: unopenedStores(parts.saml.storeKindFault), warmUp: async () => true };
  const trial: AgentParts = { ...parts, saml, outcomes: uncounted };
  const prepared = await prepareAgent(options, trial, keySetWaitMs);
  if (!prepared.ok) return { problems: prepared.error, agent: null };
  const { agent, warnings } = prepared.value;
  await agent.release();
  return { problems: warnings, agent };
};
