import { afterEach, describe, expect, it } from 'vitest';
import type { AgentClient, AgentOutcome } from '../../src/application/ports/gateway/agent-client.js';
import type { AgentFailureCode } from '../../src/domain/agent-protocol/failure-rules.js';
import { type AgentAnswer, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import { Deferred, FakeAgentService, fakeCapabilities } from '../support/agent/fake-agent-service.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../support/shared/agent-events.js';
import {
  type AgentTransport,
  openTransport,
  type TransportSettings,
  transportNames,
} from '../support/shared/agent-transports.js';
import { eventually } from '../support/shared/eventually.js';

const failure = (outcome: AgentOutcome): AgentFailureCode | 'answered' =>
  outcome.ok ? 'answered' : outcome.error.code;

describe.each(transportNames)('an agent by the %s transport', (name) => {
  const open: AgentTransport[] = [];

  const connect = async (
    service: FakeAgentService,
    settings: Partial<TransportSettings> = {},
    connections?: number,
  ): Promise<AgentClient> => {
    const transport = await openTransport(name, service, settings, connections);
    open.push(transport);
    transport.client.start();
    await transport.ready();
    return transport.client;
  };

  afterEach(async () => {
    for (const transport of open.splice(0)) await transport.close();
  });

  it('takes a wish for more after the end of the body for a malformed answer', async () => {
    const service = new FakeAgentService();
    service.answer = () => needsMoreAnswer;
    const client = await connect(service);
    await client.ask(headersEvent('d'));
    expect(failure(await client.ask(chunkEvent('d', { isLast: true })))).toBe('malformed_answer');
    await eventually(() => service.cancels.length === 1);
  });

  it('ends a call when its time is over, and the agent hears of it', async () => {
    const service = new FakeAgentService();
    service.answer = () => new Promise(() => {});
    const client = await connect(service, { timeoutMs: 30 });
    expect(failure(await client.ask(headersEvent('slow')))).toBe('timed_out');
    await eventually(() => service.cancels.length === 1);
    expect(service.cancels).toEqual([{ correlationId: 'slow', reason: 'timeout' }]);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('ends a call that its caller cancels, and the agent hears the reason', async () => {
    const service = new FakeAgentService();
    service.answer = () => new Promise(() => {});
    const client = await connect(service);
    const asked = client.ask(headersEvent('gone'));
    await service.received(1);
    client.cancel('gone', 'client_disconnect');
    expect(failure(await asked)).toBe('cancelled');
    await eventually(() => service.cancels.length === 1);
    expect(service.cancels).toEqual([{ correlationId: 'gone', reason: 'client_disconnect' }]);
  });

  it('tells the agent when the rest of a body will not come', async () => {
    const service = new FakeAgentService();
    service.answer = () => needsMoreAnswer;
    const client = await connect(service);
    await client.ask(headersEvent('body'));
    client.cancel('body', 'client_disconnect');
    await eventually(() => service.cancels.length === 1);
    expect(service.cancels[0]).toEqual({ correlationId: 'body', reason: 'client_disconnect' });
    expect(failure(await client.ask(chunkEvent('body')))).toBe('disconnected');
  });

  it('makes nothing of a cancel for a request it does not know', async () => {
    const service = new FakeAgentService();
    const client = await connect(service);
    client.cancel('nobody', 'manual');
    expect((await client.ask(headersEvent('a'))).ok).toBe(true);
    expect(service.cancels).toEqual([]);
  });

  it.each([1, 3])(
    'never asks an agent more at once than it said it can take, by %i connections',
    async (connections) => {
      const service = new FakeAgentService();
      service.maxConcurrency = 3;
      let running = 0;
      let most = 0;
      const waiting: (() => void)[] = [];
      service.answer = async () => {
        running += 1;
        most = Math.max(most, running);
        // All are kept until there are as many as may be, and a little longer: one too many has time to come.
        if (running === 3) setTimeout(() => waiting.splice(0).forEach((goOn) => goOn()), 5);
        await new Promise<void>((resolve) => waiting.push(resolve));
        running -= 1;
        return allowAnswer;
      };
      const client = await connect(service, {}, connections);
      const outcomes = await Promise.all(
        Array.from({ length: 39 }, (_, index) => client.ask(headersEvent(`c${index}`))),
      );
      expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
      expect(most).toBe(3);
    },
  );

  it('turns calls away at once when enough are waiting', async () => {
    const service = new FakeAgentService();
    service.maxConcurrency = 2;
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    const client = await connect(service, { maxQueueDepth: 3 }, 1);
    const asked = ['a', 'b', 'c', 'd', 'e'].map((id) => client.ask(headersEvent(id)));
    expect(client.status()).toMatchObject({ inFlight: 2, queueDepth: 3 });
    const sixth = await client.ask(headersEvent('f'));
    expect(failure(sixth)).toBe('queue_full');
    const limit = { name: 'max-agent-queue-depth', limit: 3, actual: 4 };
    expect(sixth).toMatchObject({ error: { limit } });
    held.resolve(allowAnswer);
    expect((await Promise.all(asked)).every((outcome) => outcome.ok)).toBe(true);
  });

  it('hands over the configuration, and who gives it', async () => {
    const service = new FakeAgentService();
    await connect(service, { config: { list: ['a', 1, null, true], nested: { n: {} } } });
    expect(service.configs[0]).toEqual({ list: ['a', 1, null, true], nested: { n: {} } });
    expect(service.givers[0]).toMatchObject({ proxyId: 'gateway-1', proxyVersion: '0.1.0' });
  });

  it('hands over that there is no configuration', async () => {
    const service = new FakeAgentService();
    await connect(service, { config: null });
    expect(service.configs[0]).toBeNull();
  });

  it('hands over a new configuration, or says why it is refused', async () => {
    const service = new FakeAgentService();
    const client = await connect(service);
    const sent = { ok: true, value: name === 'grpc' ? 'sent' : undefined };
    expect(await client.configure({ colour: 'green' })).toEqual(sent);
    await eventually(() => (service.configs.at(-1) as { colour?: string } | undefined)?.colour === 'green');
    const refused = { ok: false, error: { kind: 'refused', reason: 'no such colour' } };
    // Over gRPC nothing answers: that it was sent is all that is known, until the agent says that it refuses.
    expect(await client.configure({ refuse: 'no such colour' })).toEqual(name === 'grpc' ? sent : refused);
    await eventually(() => client.status().refusal?.includes('no such colour') === true);
    expect((await client.ask(headersEvent('still'))).ok).toBe(true);
  });

  it('fails every call while the agent refuses its configuration, and serves once it takes one', async () => {
    const service = new FakeAgentService();
    const transport = await openTransport(name, service, { config: { refuse: 'no' } });
    open.push(transport);
    const { client } = transport;
    client.start();
    const outcomes: AgentOutcome[] = [];
    while (failure(outcomes.at(-1) ?? { ok: true, value: allowAnswer }) !== 'refused') {
      outcomes.push(await client.ask(headersEvent(`r${outcomes.length}`)));
      await new Promise(setImmediate);
    }
    expect(outcomes.every((outcome) => !outcome.ok)).toBe(true);
    expect(client.capabilities()).toBeNull();
    expect(client.status()).toMatchObject({ state: 'unreachable', connections: 0 });
    // Over a socket nobody is there to answer: the next handshake brings it.
    expect(await client.configure({ colour: 'red' })).not.toMatchObject({ error: { kind: 'refused' } });
    await transport.ready();
    expect((await client.ask(headersEvent('now'))).ok).toBe(true);
  });

  it('knows what the agent said of itself, the headers it owns included', async () => {
    const client = await connect(new FakeAgentService());
    expect(client.capabilities()).toEqual(fakeCapabilities);
  });

  it('tells its listener once the agent has said what it is', async () => {
    const transport = await openTransport(name, new FakeAgentService());
    open.push(transport);
    const { client } = transport;
    const told: unknown[] = [];
    client.onCapabilities(() => told.push(client.capabilities()));
    client.start();
    await transport.ready();
    await eventually(() => told.length > 0);
    expect(told[0]).toEqual(fakeCapabilities);
  });

  it('gives up what is in flight when the grace is over', async () => {
    const service = new FakeAgentService();
    service.answer = () => new Promise(() => {});
    const client = await connect(service);
    const asked = client.ask(headersEvent('stuck'));
    await service.received(1);
    await client.stop(10);
    expect(failure(await asked)).toBe('cancelled');
    await eventually(() => service.cancels.length === 1);
    expect(service.cancels[0]).toEqual({ correlationId: 'stuck', reason: 'proxy_shutdown' });
  });
});
