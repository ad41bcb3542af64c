import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import {
  type AgentAnswer,
  type AgentDecision,
  type AgentEvent,
  allowAnswer,
  type BodyMutation,
  type HeaderOperation,
} from '../../../src/domain/agent-protocol/messages.js';
import {
  type AgentConfiguration,
  agentSubscriptions,
  type GatewayConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeAgentService } from '../agent/fake-agent-service.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../gateway/in-process-gateway.js';
import type { CleanUp } from './clean-up.js';
import { RecordingLogger } from './recording-logger.js';

/** An agent of the route. By default it subscribes to every event. */
export type AgentPlan = Partial<AgentConfiguration> & { readonly name: string };

/** A gateway with one route, whose agents are fakes. */
export interface GatewayWithAgents extends InProcessGateway {
  /** The agent of a name. Default: the first agent. */
  service(name?: string): FakeAgentService;
}

/** Starts a gateway in front of the upstream at `port`; `cleanUp` stops it. */
export const startGatewayWithAgents = async (
  cleanUp: CleanUp,
  port: number,
  plans: readonly AgentPlan[] = [{ name: 'judge' }],
  changes: Partial<GatewayConfiguration> = {},
): Promise<GatewayWithAgents> => {
  const services = new Map(plans.map(({ name }) => [name, new FakeAgentService()]));
  for (const service of services.values()) service.supportedEvents = agentSubscriptions;
  const agents = plans.map((plan) => ({ ...testAgent(plan.name), events: agentSubscriptions, ...plan }));
  const routes = [testRoute({ agents: plans.map(({ name }) => name) })];
  const configuration = testConfiguration([testUpstream(port)], { agents, routes, ...changes });
  const gateway = await startInProcess(configuration, {
    createAgent: ({ name, timeoutMs, config }) =>
      new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        services.get(name) as FakeAgentService,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      ),
  });
  cleanUp.add(() => gateway.stop());
  return { ...gateway, service: (name = plans[0]?.name ?? '') => services.get(name) as FakeAgentService };
};

export const wantsMore: AgentAnswer = { ...allowAnswer, needsMore: true };

export const decide = (decision: AgentDecision, responseHeaders: readonly HeaderOperation[] = []): AgentAnswer => ({
  ...allowAnswer,
  decision,
  responseHeaders,
});

/** The answers of an agent that reads every response body to its end, and allows it. */
export const wholeResponse = (event: AgentEvent): AgentAnswer => {
  if (event.kind === 'response_headers') return wantsMore;
  return event.kind === 'response_body_chunk' && !event.isLast ? wantsMore : allowAnswer;
};

/** Like `wholeResponse`, but replaces each chunk with the text from `mutate`; null leaves the chunk as it is. */
export const mutatedResponse =
  (mutate: (text: string, isLast: boolean) => string | null) =>
  (event: AgentEvent): AgentAnswer => {
    if (event.kind !== 'response_body_chunk') return wholeResponse(event);
    const { data, isLast, chunkIndex } = event;
    const left = mutate(Buffer.from(data).toString('latin1'), isLast);
    const responseBodyMutation: BodyMutation = { chunkIndex, data: left === null ? null : Buffer.from(left, 'latin1') };
    return { ...wholeResponse(event), responseBodyMutation };
  };
