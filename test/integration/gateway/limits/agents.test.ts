import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { AgentEmbeddedClient } from '../../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { GuardedAgentClient } from '../../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { AgentClientFactory } from '../../../../src/application/ports/gateway/agent-client.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../../src/domain/agent-protocol/messages.js';
import type {
  AgentConfiguration,
  LimitsConfiguration,
} from '../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { Deferred, FakeAgentService } from '../../../support/agent/fake-agent-service.js';
import { testAgent, testRoute } from '../../../support/gateway/in-process-gateway.js';
import { get, limitLines, post, refusalOf, startLimited } from '../../../support/gateway/limited-gateway.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';

/** A gateway whose route asks one agent, by an embedded client in the guard that production has around it. */
const startWithAgent = async (
  cleanUp: CleanUp,
  limits: Partial<LimitsConfiguration>,
  changes: Partial<AgentConfiguration> = {},
) => {
  const service = new FakeAgentService();
  const parts = { clock: new SystemClock(), logger: new RecordingLogger() };
  const createAgent: AgentClientFactory = (agent, { maxQueueDepth, maxResponseBytes }) => {
    const settings = { ...agent, maxQueueDepth, proxyId: 'test', proxyVersion: '0.0.0' };
    const client = new AgentEmbeddedClient(settings, service, parts.clock, new NodeScheduler(), parts.logger);
    return new GuardedAgentClient(client, { breaker: null, maxResponseBytes, events: agent.events }, parts);
  };
  const configuration = { agents: [{ ...testAgent('auth'), ...changes }], routes: [testRoute({ agents: ['auth'] })] };
  const gateway = await startLimited(cleanUp, limits, configuration, { createAgent });
  await eventually(() => gateway.state.agents()[0]?.state === 'healthy');
  return { gateway, service };
};

const ofAgent = (name: string, limit: number) => ({
  status: 503,
  code: 'agent_unavailable',
  retryAfter: '1',
  closes: false,
  limit_name: name,
  limit,
  actual: limit + 1,
  client_ip: '127.0.0.1',
  isTraced: true,
  counted: { [`gateway_request_limit_reached_total ${name}`]: 1 },
});

describe('max-agent-queue-depth', () => {
  /** The agent takes one call at a time; so many more are to wait. */
  const startQueue = async (cleanUp: CleanUp, waiting: number, changes: Partial<AgentConfiguration> = {}) => {
    const { gateway, service } = await startWithAgent(cleanUp, { maxAgentQueueDepth: 2 }, changes);
    const answer = new Deferred<AgentAnswer>();
    service.maxConcurrency = 1;
    service.answer = () => answer.promise;
    const clients = [gateway.client().send(get('/0'))];
    await service.received(1);
    for (let count = 1; count <= waiting; count += 1) {
      clients.push(gateway.client().send(get(`/${count}`)));
      await eventually(() => gateway.state.agents()[0]?.queueDepth === count);
    }
    return { gateway, clients, answer: () => answer.resolve(allowAnswer) };
  };

  it.for([
    ['one below it', 1],
    ['one at it', 2],
  ] as const)('queues %s for the agent', async ([_, count], { cleanUp }) => {
    const { gateway, clients, answer } = await startQueue(cleanUp, count);
    answer();
    const answers = await Promise.all(clients.map((client) => client.answer()));
    expect(answers.map(({ status }) => status)).toEqual(new Array(count + 1).fill(200));
    expect(limitLines(gateway)).toEqual([]);
  });

  it('refuses one above it', async ({ cleanUp }) => {
    const { gateway, clients, answer } = await startQueue(cleanUp, 2);
    expect(await refusalOf(gateway, await gateway.ask(get('/3')))).toEqual(ofAgent('max-agent-queue-depth', 2));
    answer();
    await Promise.all(clients.map((client) => client.answer()));
    expect([...gateway.upstream.reached].sort()).toEqual(['/0', '/1', '/2']);
  });

  it('passes one above it with failure mode open, logged and counted', async ({ cleanUp }) => {
    const { gateway, clients, answer } = await startQueue(cleanUp, 2, { failureMode: 'open' });
    expect((await gateway.ask(get('/3'))).status).toBe(200);
    expect(limitLines(gateway)).toMatchObject([
      { fields: { limit_name: 'max-agent-queue-depth', limit: 2, actual: 3, client_ip: '127.0.0.1' } },
    ]);
    answer();
    await Promise.all(clients.map((client) => client.answer()));
  });
});

describe('max-agent-response-bytes', () => {
  /** Of one header `X`: its name, its value, and one octet for each of them. */
  const answerOf = (octets: number): AgentAnswer => ({
    ...allowAnswer,
    requestHeaders: [{ kind: 'set', name: 'X', value: 'x'.repeat(octets - 3) }],
  });

  it('accepts an answer up to it, and refuses one above', async ({ cleanUp }) => {
    const { gateway, service } = await startWithAgent(cleanUp, { maxAgentResponseBytes: 300 });
    const client = gateway.client();
    for (const octets of [299, 300]) {
      service.answer = () => answerOf(octets);
      expect((await client.ask(get())).status).toBe(200);
    }
    service.answer = () => answerOf(301);
    expect(await refusalOf(gateway, await client.ask(get()))).toEqual(ofAgent('max-agent-response-bytes', 300));
    expect(gateway.upstream.reached).toHaveLength(2);
  });

  it('does not trigger failure mode open', async ({ cleanUp }) => {
    const { gateway, service } = await startWithAgent(cleanUp, { maxAgentResponseBytes: 300 }, { failureMode: 'open' });
    service.answer = () => answerOf(301);
    expect((await gateway.ask(get())).status).toBe(503);
    expect(gateway.upstream.reached).toEqual([]);
  });
});

describe('body inspection', () => {
  const readsAll = (event: AgentEvent): AgentAnswer =>
    event.kind === 'request_body_chunk' && event.isLast ? allowAnswer : { ...allowAnswer, needsMore: true };

  const packed = gzipSync('x'.repeat(1_000));
  const packedPost = `POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n${packed.toString('latin1')}`;

  it.for<[string, Partial<LimitsConfiguration>, string, number, number]>([
    ['max-body-inspection-bytes', { maxBodyInspectionBytes: 100 }, post(101), 100, 101],
    ['max-agent-body-bytes', { maxAgentBodyBytes: 100 }, post(101), 100, 101],
    ['max-decompressed-size-bytes', { maxDecompressedSizeBytes: 999 }, packedPost, 999, 1_000],
    ['max-decompression-ratio', { maxDecompressionRatio: 2.5 }, packedPost, 2.5, Math.ceil(1_000 / packed.length)],
  ])('is refused above %s, logged and counted', async ([name, limits, octets, limit, actual], { cleanUp }) => {
    const { gateway, service } = await startWithAgent(cleanUp, limits);
    service.answer = readsAll;
    const client = gateway.client();
    expect(await refusalOf(gateway, await client.ask(octets))).toEqual({
      status: 413,
      code: 'body_too_large',
      retryAfter: null,
      closes: true,
      limit_name: name,
      limit,
      actual,
      client_ip: '127.0.0.1',
      isTraced: true,
      counted: { gateway_body_size_exceeded_total: 1 },
    });
    await client.closed;
    expect(gateway.upstream.reached).toEqual([]);
    expect(service.cancels).toMatchObject([{ reason: 'manual' }]);
  });
});
