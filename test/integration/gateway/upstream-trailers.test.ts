import { describe, expect } from 'vitest';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import {
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

describe('trailers of a response on a route with an agent', () => {
  it('do not restore fields that the agent removed or set', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => {
      const head = 'HTTP/1.1 200 OK\r\nX-Powered-By: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      socket.write(`${head}2\r\nok\r\n0\r\nx_powered_by: a\r\nX-Judged: no\r\nX-Sum: 42\r\n\r\n`);
    });
    cleanUp.add(() => upstream.close());
    const service = new FakeAgentService();
    service.answer = () => ({
      ...allowAnswer,
      responseHeaders: [
        { kind: 'remove', name: 'X-Powered-By' },
        { kind: 'set', name: 'X-Judged', value: 'yes' },
      ],
    });
    const configuration = testConfiguration([testUpstream(upstream.port)], {
      agents: [testAgent('auth')],
      routes: [testRoute({ agents: ['auth'] })],
    });
    const gateway = await startInProcess(configuration, {
      createAgent: ({ name, timeoutMs, config }) =>
        new AgentEmbeddedClient(
          { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
          service,
          new SystemClock(),
          new NodeScheduler(),
          new RecordingLogger(),
        ),
    });
    cleanUp.add(() => gateway.stop());
    const { raw } = await rawExchange(gateway.address, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(raw).toContain('X-Judged: yes');
    expect(raw.toLowerCase()).not.toContain('powered');
    expect(raw.slice(raw.indexOf('\r\n0\r\n'))).toBe('\r\n0\r\nX-Sum: 42\r\n\r\n');
  });
});
