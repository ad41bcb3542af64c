import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ShapedAgentService } from '../shared/agent-gateway.js';
import type { CleanUp } from '../shared/clean-up.js';
import { soundConfiguration } from '../shared/decoded-configuration.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { type InProcessGateway, startInProcess, testConfiguration } from './in-process-gateway.js';

/** A gateway with a configuration in KDL, whose embedded agents all are one fake. */
export interface ConfiguredGateway extends InProcessGateway {
  readonly service: ShapedAgentService;
  /** The agents hand over their capabilities anew, as they do when they reconnect. */
  declareAnew(): Promise<void>;
}

/** The configuration of a text in KDL, with one process and the socket layer under test. */
export const textConfiguration = (text: string): GatewayConfiguration => ({
  ...soundConfiguration(text),
  system: testConfiguration([]).system,
});

export const startConfigured = async (cleanUp: CleanUp, text: string): Promise<ConfiguredGateway> => {
  const service = new ShapedAgentService();
  const clients: AgentEmbeddedClient[] = [];
  const gateway = await startInProcess(textConfiguration(text), {
    createAgent: ({ name, timeoutMs, config }) => {
      const client = new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        service,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      );
      clients.push(client);
      return client;
    },
  });
  cleanUp.add(() => gateway.stop());
  const declareAnew = async (): Promise<void> => {
    for (const client of clients) await client.configure(null);
  };
  return { ...gateway, service, declareAnew };
};
