import type { Container } from 'inversify';
import type { StartOptions } from '../../application/agent/configure-agent/agent-configuration-in-force.js';
import { tryAgent } from '../../application/agent/configure-agent/try-agent.js';
import type { AgentOptionProblem } from '../../domain/configuration/agent-option-problem.js';
import { agentTokens } from './agent-tokens.js';

export interface AgentCheck {
  /** Errors and warnings. */
  readonly problems: readonly AgentOptionProblem[];
  /** What the agent would do, in a few lines; null where there was an error. */
  readonly summary: string | null;
}

/** Makes everything ready that the agent would need to judge requests, and reports. Serves nothing, and leaves nothing running. */
export const checkAgent = async (container: Container, { block, overrides }: StartOptions): Promise<AgentCheck> => {
  const { problems, agent } = await tryAgent({ ...block, ...overrides }, container.get(agentTokens.agentParts));
  if (agent === null) return { problems, summary: null };
  const { methods, failOpen, authorization, tokenExchange } = agent;
  const accepted =
    methods.length === 0
      ? 'No method is configured: every request is refused until a gateway hands over a configuration.'
      : `Methods: ${methods.join(', ')}.`;
  const decided = authorization === null ? '' : `\nPolicies: ${authorization.policyCount}.`;
  const goOn = authorization === null ? 'pass without an identity' : 'are judged as anonymous';
  const lenient = failOpen ? `\nFail-open: requests without a valid credential ${goOn}.` : '';
  const issued =
    tokenExchange === null
      ? ''
      : `\nTokens are issued at ${tokenExchange.endpointPath} for ${tokenExchange.issuer}, signed with the key ${tokenExchange.kid}.`;
  return { problems, summary: `The configuration is fine. ${accepted}${decided}${lenient}${issued}` };
};
