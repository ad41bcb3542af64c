import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/adapters/outbound/node-clock/system-clock.js';
import { GuardedAgentClient } from '../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { AgentOutcome } from '../../src/application/ports/gateway/agent-client.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../src/domain/gateway/configuration/gateway-configuration.js';
import { Deferred, fakeCapabilities } from '../support/agent/fake-agent-service.js';
import {
  chunkEvent,
  completeEvent,
  headersEvent,
  needsMoreAnswer,
  responseChunkEvent,
  responseEvent,
} from '../support/shared/agent-events.js';
import { ShapedAgentService } from '../support/shared/agent-gateway.js';
import {
  everyTransportName,
  openTransport,
  type TransportName,
  transportNames,
} from '../support/shared/agent-transports.js';
import { eventually } from '../support/shared/eventually.js';
import { OpenTransports } from '../support/shared/open-transports.js';
import { RecordingLogger } from '../support/shared/recording-logger.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const featuresWith = (features: Partial<typeof fakeCapabilities.features>) => ({
  features: { ...fakeCapabilities.features, ...features },
});

describe.each(transportNames)('an agent that cannot do everything, by the %s transport', (name) => {
  const transports = new OpenTransports(name);
  afterEach(() => transports.close());

  it('is told of no call that is given up where it cannot cancel any', async () => {
    const service = new ShapedAgentService();
    service.said = featuresWith({ cancellation: false });
    const held = new Deferred<AgentAnswer>();
    service.answer = ({ correlationId, kind }) => {
      if (correlationId.startsWith('held')) return held.promise;
      return kind === 'request_headers' && correlationId === 'body' ? needsMoreAnswer : allowAnswer;
    };
    const { client } = await transports.connect(service, { timeoutMs: 1_000 }, 1);
    const asked = client.ask(headersEvent('held'));
    await service.received(1);
    client.cancel('held', 'client_disconnect');
    expect(codeOf(await asked)).toBe('cancelled');
    await client.ask(headersEvent('body'));
    client.cancel('body', 'client_disconnect');
    held.resolve(allowAnswer);
    // Whatever was sent before these has come with them.
    for (const id of ['a', 'b', 'c']) expect(codeOf(await client.ask(headersEvent(id)))).toBe('allow');
    expect(service.cancels).toEqual([]);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('comes to a new configuration all the same where it takes none over connections that stand', async () => {
    const service = new ShapedAgentService();
    service.said = featuresWith({ configPush: false });
    const held = new Deferred<AgentAnswer>();
    service.answer = ({ correlationId }) => (correlationId === 'held' ? held.promise : allowAnswer);
    const { client } = await transports.connect(service, {}, 2);
    const asked = client.ask(headersEvent('held'));
    await service.received(1);
    const configured = client.configure({ colour: 'green' });
    // Nothing is lost on the way to it.
    for (let index = 0; index < 20; index += 1)
      expect(codeOf(await client.ask(headersEvent(`c${index}`)))).toBe('allow');
    held.resolve(allowAnswer);
    expect(codeOf(await asked)).toBe('allow');
    expect((await configured).ok).toBe(true);
    await eventually(() => service.configs.at(-1)?.['colour'] === 'green');
    expect(await client.configure({ refuse: 'not that' })).toEqual({
      ok: false,
      error: { kind: 'refused', reason: 'not that' },
    });
    expect(client.status().refusal).toBe('not that');
    await eventually(() => client.status().connections > 0);
    expect(codeOf(await client.ask(headersEvent('still')))).toBe('allow');
    expect(service.configs.at(-1)).toEqual({ colour: 'green' });
  });

  it.each([
    ['by its limits', { limits: { ...fakeCapabilities.limits, maxConcurrency: 2 } }],
    ['by its features', featuresWith({ concurrentRequests: 2 })],
  ])('is never asked more at a time than it takes %s, dialogues and responses counted', async (_, said) => {
    const service = new ShapedAgentService();
    service.said = { ...said, supportedEvents: [...agentSubscriptions, 'configure'] };
    let running = 0;
    let most = 0;
    service.answer = async (event) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return event.kind.endsWith('_headers') ? needsMoreAnswer : allowAnswer;
    };
    const { client } = await transports.connect(service, {}, 3);
    const request = async (id: string): Promise<string[]> => {
      const told: string[] = [];
      const events = [headersEvent(id), chunkEvent(id), responseEvent(id), responseChunkEvent(id), completeEvent(id)];
      for (const event of events) told.push(codeOf(await client.ask(event)));
      return told;
    };
    const all = await Promise.all(Array.from({ length: 15 }, (_, index) => request(`r${index}`)));
    expect(new Set(all.flat())).toEqual(new Set(['allow']));
    expect(most).toBe(2);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });
});

const guarded = async (name: TransportName, service: ShapedAgentService) => {
  const logger = new RecordingLogger();
  const transport = await openTransport(name, service);
  const rules = { breaker: null, maxResponseBytes: 10_240, events: agentSubscriptions };
  return {
    transport,
    logger,
    client: new GuardedAgentClient(transport.client, rules, { clock: new SystemClock(), logger }),
  };
};

describe.each(transportNames)('events that an agent does not support, by the %s transport', (name) => {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });

  it('are never sent to it, and fail but for the last', async () => {
    const service = new ShapedAgentService();
    service.supportedEvents = ['request_headers', 'configure'];
    const { transport, client, logger } = await guarded(name, service);
    closes.push(() => transport.close());
    client.start();
    await transport.ready();
    expect(codeOf(await client.ask(responseEvent('a')))).toBe('unsupported_event');
    expect(await client.ask(completeEvent('a'))).toEqual({ ok: true, value: allowAnswer });
    service.answer = () => needsMoreAnswer;
    expect(codeOf(await client.ask(headersEvent('b')))).toBe('malformed_answer');
    service.answer = () => allowAnswer;
    expect(codeOf(await client.ask(headersEvent('c')))).toBe('allow');
    expect(service.events.map(({ kind }) => kind)).toEqual(['request_headers', 'request_headers']);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { events: agentSubscriptions.filter((event) => event !== 'request_headers') } },
    ]);
    // What it was to have a body for is nothing that it waits for.
    await eventually(() => service.cancels.length === 1);
  });
});

describe.each(everyTransportName)('answers of an agent by the %s transport', (name) => {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });

  const sized = (octets: number): AgentAnswer => ({
    ...allowAnswer,
    requestHeaders: [{ kind: 'set', name: 'X', value: 'y'.repeat(octets) }],
  });

  it('may have so many octets and no more, whatever their framing costs', async () => {
    const service = new ShapedAgentService();
    const { transport, client } = await guarded(name, service);
    closes.push(() => transport.close());
    client.start();
    await transport.ready();
    // One more for each of the two texts, and the name.
    const most = 10_240 - 3;
    const told: string[] = [];
    for (const octets of [most - 1, most, most + 1, 1_000_000]) {
      service.answer = (_: AgentEvent) => sized(octets);
      told.push(codeOf(await client.ask(headersEvent(`s${octets}`))));
    }
    expect(told).toEqual(['allow', 'allow', 'response_too_large', 'response_too_large']);
  });
});
