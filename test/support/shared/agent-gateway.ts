import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import type {
  AgentConfiguration,
  LimitsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeAgentService } from '../agent/fake-agent-service.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testLimits,
  testRoute,
  testUpstream,
} from '../gateway/in-process-gateway.js';
import { RecordingLogger } from './recording-logger.js';

/** An agent whose capabilities the test chooses. */
export class ShapedAgentService extends FakeAgentService {
  said: Partial<AgentCapabilities> = {};

  override capabilities(): AgentCapabilities {
    return { ...super.capabilities(), ...this.said };
  }
}

export interface AgentGateway {
  readonly gateway: InProcessGateway;
  /** By name. */
  service(name?: string): ShapedAgentService;
}

/** A gateway whose only route asks these agents, each in the gateway's process. */
export const startAgentGateway = async (
  upstreamPort: number,
  agents: Readonly<Record<string, Partial<AgentConfiguration>>>,
  limits: Partial<LimitsConfiguration> = {},
): Promise<AgentGateway> => {
  const names = Object.keys(agents);
  const services = new Map(names.map((name) => [name, new ShapedAgentService()]));
  const service = (name = names[0] as string): ShapedAgentService => services.get(name) as ShapedAgentService;
  const configuration = testConfiguration([testUpstream(upstreamPort)], {
    agents: names.map((name) => ({ ...testAgent(name), ...agents[name] })),
    routes: [testRoute({ agents: names })],
    limits: { ...testLimits, ...limits },
  });
  const gateway = await startInProcess(configuration, {
    createAgent: ({ name, timeoutMs, config }) =>
      new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        service(name),
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      ),
  });
  return { gateway, service };
};
