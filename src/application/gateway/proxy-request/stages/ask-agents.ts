import { type AgentChainServices, type AskedAgent, askFrom } from '../agent-chain.js';
import { AgentAnswers, type Stage } from '../exchange.js';
import type { RouteAgent } from '../route-agent.js';

/** Asks the agents of the route in order. The first answer other than allow ends the request. */
export const askAgents = (agents: readonly RouteAgent[], services: AgentChainServices): Stage => {
  const isAsked = ({ events }: RouteAgent): boolean => events.has('request_headers');
  const unasked = agents.filter((agent) => !isAsked(agent));
  const inOrder = agents.flatMap((agent, place): AskedAgent[] => {
    if (!isAsked(agent)) return [];
    const asked = agents.filter((other, index) => index <= place || !isAsked(other));
    return [{ ...agent, asked }];
  });
  return (exchange) => {
    exchange.agents = new AgentAnswers(unasked);
    return askFrom(inOrder, 0, exchange, services);
  };
};
