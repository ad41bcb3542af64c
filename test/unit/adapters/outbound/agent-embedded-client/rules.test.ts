import { describe, expect, it } from 'vitest';
import { AgentEmbeddedClient } from '../../../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { AgentCapabilities, AgentFeatures } from '../../../../../src/domain/agent-protocol/capabilities.js';
import type { AgentFailureCode } from '../../../../../src/domain/agent-protocol/failure-rules.js';
import type { AgentHealth } from '../../../../../src/domain/agent-protocol/health.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type ResponseBodyChunkEvent,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { Deferred, FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

class FeaturedService extends FakeAgentService {
  readonly #features: Partial<AgentFeatures>;

  constructor(features: Partial<AgentFeatures>) {
    super();
    this.#features = features;
  }

  override capabilities(): AgentCapabilities {
    const capabilities = super.capabilities();
    return { ...capabilities, features: { ...capabilities.features, ...this.#features } };
  }
}

const started = async (service: FakeAgentService) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const settings = { name: 'auth', timeoutMs: 100, maxQueueDepth: 10, config: null, proxyId: 'p', proxyVersion: '1' };
  const client = new AgentEmbeddedClient(settings, service, clock, scheduler, new RecordingLogger());
  client.start();
  await client.configure(null);
  return { client, scheduler };
};

const codeOf = (outcome: AgentOutcome): AgentFailureCode | 'answered' => (outcome.ok ? 'answered' : outcome.error.code);
const responseHead: AgentEvent = { kind: 'response_headers', correlationId: 'a', status: 200, headers: [] };
const responseChunk: ResponseBodyChunkEvent = {
  kind: 'response_body_chunk',
  correlationId: 'a',
  data: Uint8Array.of(1),
  isLast: true,
  totalSize: 1,
  chunkIndex: 0,
  bytesSent: 1,
};
const complete: AgentEvent = {
  kind: 'request_complete',
  correlationId: 'a',
  status: 200,
  durationMs: 1,
  requestBodySize: 0,
  responseBodySize: 1,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
};

describe('an embedded agent', () => {
  it('that cannot decide is not asked, and is again as soon as it can', async () => {
    const service = new FakeAgentService();
    const { client } = await started(service);
    service.changeState('unhealthy');
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unhealthy');
    expect(service.events).toEqual([]);
    // It need not even say so.
    service.state = 'degraded';
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('answered');
    service.changeState('draining');
    expect(codeOf(await client.ask(headersEvent('b')))).toBe('unreachable');
    service.changeState('healthy');
    expect(codeOf(await client.ask(headersEvent('b')))).toBe('answered');
  });

  it('that is asked without a promise gives what is there at once, and tells the listener of the rest, once', async () => {
    const service = new FakeAgentService();
    service.isPrompt = true;
    const { client } = await started(service);
    const told: AgentOutcome[] = [];
    const listener = { answered: (outcome: AgentOutcome): void => void told.push(outcome) };
    expect(client.askFor(headersEvent('a'), listener)).toEqual(ok(allowAnswer));
    const late = new Deferred<AgentAnswer>();
    service.answer = () => late.promise;
    expect(client.askFor(headersEvent('b'), listener)).toBeNull();
    expect(client.askFor(headersEvent('c'), listener)).toBeNull();
    client.cancel('c', 'client_disconnect');
    expect(told).toEqual([]);
    late.resolve(allowAnswer);
    await settled();
    expect(told.map(codeOf).sort()).toEqual(['answered', 'cancelled']);
  });

  it('that cannot decide from the beginning is not asked either', async () => {
    const service = new FakeAgentService();
    service.state = 'unhealthy';
    const { client } = await started(service);
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unhealthy');
    expect(client.status()).toMatchObject({ state: 'unhealthy', connections: 1 });
  });

  it('that can decide no more fails what waits for it, and may finish what it has begun', async () => {
    const service = new FakeAgentService();
    service.maxConcurrency = 1;
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    const { client } = await started(service);
    const first = client.ask(headersEvent('a'));
    const second = client.ask(headersEvent('b'));
    service.changeState('unhealthy');
    expect(codeOf(await second)).toBe('unhealthy');
    held.resolve(needsMoreAnswer);
    expect(await first).toEqual(ok(needsMoreAnswer));
    service.answer = () => allowAnswer;
    expect(codeOf(await client.ask(chunkEvent('a')))).toBe('answered');
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('is told of responses and of the end, and may ask for the body of a response', async () => {
    const service = new FakeAgentService();
    service.answer = ({ kind }) => (kind === 'response_headers' ? needsMoreAnswer : allowAnswer);
    const { client } = await started(service);
    for (const event of [headersEvent('a'), responseHead, responseChunk, complete]) {
      expect(codeOf(await client.ask(event))).toBe('answered');
    }
    expect(service.events.map(({ kind }) => kind)).toEqual([
      'request_headers',
      'response_headers',
      'response_body_chunk',
      'request_complete',
    ]);
  });

  it('is never sent a piece of the body that it did not ask for', async () => {
    const service = new FakeAgentService();
    service.answer = () => needsMoreAnswer;
    const { client } = await started(service);
    expect(codeOf(await client.ask(responseChunk))).toBe('disconnected');
    await client.ask(headersEvent('a'));
    expect(codeOf(await client.ask(responseChunk))).toBe('disconnected');
    client.cancel('a', 'manual');
    await client.ask(responseHead);
    expect(codeOf(await client.ask(chunkEvent('a')))).toBe('disconnected');
    expect(service.events.map(({ kind }) => kind)).toEqual(['request_headers', 'response_headers']);
  });

  it('that wants more after the end is malformed, and leaves nothing open', async () => {
    const service = new FakeAgentService();
    service.answer = () => needsMoreAnswer;
    const { client } = await started(service);
    expect(codeOf(await client.ask(complete))).toBe('malformed_answer');
    service.answer = () => allowAnswer;
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('answered');
  });

  it.each([
    [3, 100, 3],
    [0, 2, 2],
    [100, 1, 1],
    [5, 0, 1],
  ])(
    'is asked no more at once than it says: %d by its features, %d by its limits',
    async (byFeatures, byLimits, most) => {
      const service = new FeaturedService({ concurrentRequests: byFeatures });
      service.maxConcurrency = byLimits;
      service.answer = () => new Promise(() => {});
      const { client } = await started(service);
      for (let call = 0; call < 6; call += 1) void client.ask(headersEvent(`c${call}`));
      expect(client.status()).toMatchObject({ inFlight: most, queueDepth: 6 - most });
    },
  );

  it('hears of no cancel that it cannot take, and its answer is dropped all the same', async () => {
    const service = new FeaturedService({ cancellation: false });
    service.answer = () => new Promise(() => {});
    const { client, scheduler } = await started(service);
    const given = client.ask(headersEvent('a'));
    client.cancel('a', 'client_disconnect');
    expect(codeOf(await given)).toBe('cancelled');
    const late = client.ask(headersEvent('b'));
    await scheduler.advance(100);
    expect(codeOf(await late)).toBe('timed_out');
    expect(service.cancels).toEqual([]);
  });

  it('shows why it refuses the configuration in force until it takes one', async () => {
    const service = new FakeAgentService();
    const { client } = await started(service);
    expect(client.status().refusal).toBeNull();
    await client.configure({ refuse: 'no such colour' });
    expect(client.status()).toMatchObject({ state: 'healthy', refusal: 'no such colour' });
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('answered');
    await client.configure({ colour: 'red' });
    expect(client.status().refusal).toBeNull();
  });

  it('that can decide no more still gets the rest of a body that waits for a place', async () => {
    const service = new FakeAgentService();
    service.maxConcurrency = 1;
    const held = new Deferred<AgentAnswer>();
    service.answer = ({ correlationId }) => (correlationId === 'a' ? needsMoreAnswer : held.promise);
    const { client } = await started(service);
    await client.ask(headersEvent('a'));
    const other = client.ask(headersEvent('b'));
    const chunk = client.ask(chunkEvent('a', { isLast: false }));
    expect(client.status()).toMatchObject({ inFlight: 1, queueDepth: 1 });
    service.changeState('unhealthy');
    held.resolve(allowAnswer);
    expect((await Promise.all([other, chunk])).map(codeOf)).toEqual(['answered', 'answered']);
  });

  it('is listened to no longer than its client is there', async () => {
    let listeners = 0;
    const service = new (class extends FakeAgentService {
      override onHealthChange(listener: (health: AgentHealth) => void): () => void {
        listeners += 1;
        const end = super.onHealthChange(listener);
        return () => {
          listeners -= 1;
          end();
        };
      }
    })();
    const { client } = await started(service);
    expect(listeners).toBe(1);
    await client.stop(0);
    expect(listeners).toBe(0);
  });
});
