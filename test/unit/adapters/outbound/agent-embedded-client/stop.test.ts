import { expect, it } from 'vitest';
import { AgentEmbeddedClient } from '../../../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { FakeAgentService } from '../../../../support/fake-agent-service.js';
import { ManualClock } from '../../../../support/manual-clock.js';
import { ManualScheduler } from '../../../../support/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/recording-logger.js';

it('an embedded agent is stopped with its client, once and after its last call', async () => {
  const service = new FakeAgentService();
  const clock = new ManualClock();
  const settings = { name: 'auth', timeoutMs: 1_000, maxQueueDepth: 1, config: null, proxyId: 'p', proxyVersion: '1' };
  const client = new AgentEmbeddedClient(settings, service, clock, new ManualScheduler(clock), new RecordingLogger());
  await client.configure(null);
  expect(service.stops).toBe(0);
  await client.stop(0);
  await client.stop(0);
  expect(service.stops).toBe(1);
});
