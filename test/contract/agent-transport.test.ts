import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentClient, AgentFailureCode, AgentOutcome } from '../../src/application/ports/agent-client.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import { chunkEvent, decided, headersEvent, needsMoreAnswer } from '../support/agent-events.js';
import {
  type AgentTransport,
  openTransport,
  type TransportSettings,
  transportNames,
} from '../support/agent-transports.js';
import { eventually } from '../support/eventually.js';
import { Deferred, FakeAgentService, fakeCapabilities } from '../support/fake-agent-service.js';

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

  const answered = async (answer: AgentAnswer): Promise<AgentOutcome> => {
    const service = new FakeAgentService();
    service.answer = () => answer;
    return (await connect(service)).ask(headersEvent('a'));
  };

  it('gives every kind of decision back as it was made', async () => {
    const decisions: AgentAnswer[] = [
      allowAnswer,
      decided({ kind: 'block', status: 403, body: 'no \u2603', headers: ['X-Why', 'policy'] }),
      decided({ kind: 'block', status: 200, body: null, headers: [] }),
      decided({ kind: 'redirect', url: 'https://idp.example.test/sso?x=1', status: 302 }),
      decided({ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'gateway' } }),
    ];
    const service = new FakeAgentService();
    const client = await connect(service);
    for (const [index, answer] of decisions.entries()) {
      service.answer = () => answer;
      expect(await client.ask(headersEvent(`d${index}`))).toEqual({ ok: true, value: answer });
    }
  });

  it('carries header operations with every octet that a field value may have, and the audit', async () => {
    const octets = `\t ${Array.from({ length: 0x80 }, (_, index) => String.fromCharCode(0x80 + index)).join('')}"\\~`;
    const answer: AgentAnswer = {
      ...allowAnswer,
      requestHeaders: [
        { kind: 'remove', name: 'X-User-Id' },
        { kind: 'set', name: 'X-User-Id', value: octets },
        { kind: 'add', name: '__proto__', value: 'constructor' },
      ],
      responseHeaders: [{ kind: 'add', name: 'Set-Cookie', value: 'a=b; Path=/' }],
      audit: {
        tags: ['t'],
        ruleIds: ['r'],
        confidence: 0.5,
        reasonCodes: ['jwt'],
        custom: { auth_method: 'jwt' },
      },
    };
    expect(await answered(answer)).toEqual({ ok: true, value: answer });
  });

  it('shows the agent the event as it was asked', async () => {
    const service = new FakeAgentService();
    const client = await connect(service);
    const event = headersEvent('seen', {
      method: 'POST',
      uri: '/caf\u00e9?q=%20',
      headers: ['cookie', 'a=1', 'x', '\u00ff', 'cookie', 'b=2', '__proto__', 'p', 'constructor', 'c', 'tostring', ''],
    });
    await client.ask(event);
    const [seen] = service.events;
    expect(seen).toMatchObject({ ...event, headers: expect.anything() });
    const headers = seen?.kind === 'request_headers' ? seen.headers : [];
    const pairs = (list: readonly string[]): string[] =>
      list.flatMap((text, index) => (index % 2 === 0 ? [`${text}: ${list[index + 1]}`] : [])).sort();
    expect(pairs(headers)).toEqual(pairs(event.headers));
    expect(headers.indexOf('a=1')).toBeLessThan(headers.indexOf('b=2'));
  });

  it('holds a dialogue about a body by one connection', async () => {
    const service = new FakeAgentService();
    const bodies: string[] = [];
    const held = new Deferred<AgentAnswer>();
    service.answer = (event) => {
      if (event.correlationId === 'busy') return held.promise;
      if (event.kind !== 'request_body_chunk') return needsMoreAnswer;
      bodies.push(Buffer.from(event.data).toString('latin1'));
      return event.isLast ? decided({ kind: 'block', status: 200, body: 'done', headers: [] }) : needsMoreAnswer;
    };
    const client = await connect(service);
    expect(await client.ask(headersEvent('d'))).toEqual({ ok: true, value: needsMoreAnswer });
    // The least busy connection is now another one.
    const busy = client.ask(headersEvent('busy'));
    const first = new Uint8Array([0, 255, 128, 13, 10]);
    expect(await client.ask(chunkEvent('d', { data: first, isLast: false, bytesReceived: 5 }))).toMatchObject({
      ok: true,
    });
    const last = await client.ask(chunkEvent('d', { data: new Uint8Array([65]), chunkIndex: 1, bytesReceived: 6 }));
    expect(last).toMatchObject({ ok: true, value: { decision: { kind: 'block', body: 'done' } } });
    expect(bodies).toEqual(['\u0000\u00ff\u0080\r\n', 'A']);
    expect(service.connections.size).toBe(1);
    expect(failure(await client.ask(chunkEvent('d')))).toBe('disconnected');
    held.resolve(allowAnswer);
    await busy;
  });

  it('takes a wish for more after the end of the body for a malformed answer', async () => {
    const service = new FakeAgentService();
    service.answer = () => needsMoreAnswer;
    const client = await connect(service);
    await client.ask(headersEvent('d'));
    expect(failure(await client.ask(chunkEvent('d', { isLast: true })))).toBe('malformed_answer');
    await eventually(() => service.cancels.length === 1);
  });

  it.each<[string, AgentAnswer]>([
    ['a status that is none', decided({ kind: 'block', status: 99, body: null, headers: [] })],
    ['an interim status', decided({ kind: 'block', status: 101, body: null, headers: [] })],
    ['a redirect that is none', decided({ kind: 'redirect', url: '/', status: 200 })],
    ['a redirect that splits the response', decided({ kind: 'redirect', url: '/\r\nX: y', status: 302 })],
    ['a block that splits the response', decided({ kind: 'block', status: 403, body: null, headers: ['X', 'a\nb'] })],
    ['a challenge that splits the response', decided({ kind: 'challenge', challengeType: 'B', params: { a: '\r' } })],
    ['a value of more than octets', { ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X', value: '\u20ac' }] }],
    ['a NUL in a value', { ...allowAnswer, responseHeaders: [{ kind: 'add', name: 'X', value: '\0' }] }],
    ['a name that is none', { ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X Y', value: '' }] }],
    ['an empty name', { ...allowAnswer, requestHeaders: [{ kind: 'remove', name: '' }] }],
  ])('refuses an answer with %s', async (_case, answer) => {
    expect(failure(await answered(answer))).toBe('malformed_answer');
  });

  it('never takes a failure of the agent for an allow', async () => {
    const service = new FakeAgentService();
    service.answer = () => Promise.reject(new Error('broken'));
    const outcome = await (await connect(service)).ask(headersEvent('a'));
    expect(outcome.ok && outcome.value.decision.kind === 'allow').toBe(false);
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

  it('counts the wait for a free place in the time of a call', async () => {
    const service = new FakeAgentService();
    service.maxConcurrency = 1;
    service.answer = () => new Promise(() => {});
    const client = await connect(service, { timeoutMs: 30 }, 1);
    const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => client.ask(headersEvent(id))));
    expect(outcomes.map(failure)).toEqual(['timed_out', 'timed_out', 'timed_out']);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('drops an answer that comes after the time is over', async () => {
    const service = new FakeAgentService();
    const late = new Deferred<AgentAnswer>();
    service.answer = (event) => (event.correlationId === 'late' ? late.promise : allowAnswer);
    const client = await connect(service, { timeoutMs: 30 });
    expect(failure(await client.ask(headersEvent('late')))).toBe('timed_out');
    late.resolve(decided({ kind: 'block', status: 403, body: null, headers: [] }));
    expect(await client.ask(headersEvent('next'))).toEqual({ ok: true, value: allowAnswer });
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

  it('refuses a second call for a request while one is open', async () => {
    const service = new FakeAgentService();
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    const client = await connect(service);
    const first = client.ask(headersEvent('twice'));
    expect((await client.ask(headersEvent('twice'))).ok).toBe(false);
    held.resolve(allowAnswer);
    expect(await first).toEqual({ ok: true, value: allowAnswer });
    expect(service.events).toHaveLength(1);
  });

  it('gives each of many calls its own answer, in whatever order they come', async () => {
    const service = new FakeAgentService();
    service.maxConcurrency = 8;
    const client = await connect(service, { maxQueueDepth: 1_000 }, 2);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 80 }), async (turns) => {
        round += 1;
        service.answer = async (event: AgentEvent) => {
          const index = Number(event.correlationId.split('-')[1]);
          for (let turn = turns[index] ?? 0; turn > 0; turn -= 1) await new Promise(setImmediate);
          return { ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X-Id', value: event.correlationId }] };
        };
        const ids = turns.map((_, index) => `${round}-${index}`);
        const outcomes = await Promise.all(ids.map((id) => client.ask(headersEvent(id))));
        expect(outcomes.map((outcome) => (outcome.ok ? outcome.value.requestHeaders[0] : null))).toEqual(
          ids.map((value) => ({ kind: 'set', name: 'X-Id', value })),
        );
      }),
      { numRuns: 25 },
    );
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it.each([1, 3])(
    'never asks an agent more at once than it said it can take, by %i connections',
    async (connections) => {
      const service = new FakeAgentService();
      service.maxConcurrency = 3;
      let running = 0;
      let most = 0;
      service.answer = async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return allowAnswer;
      };
      const client = await connect(service, {}, connections);
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, index) => client.ask(headersEvent(`c${index}`))),
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
    expect(failure(await client.ask(headersEvent('f')))).toBe('queue_full');
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
    expect(await client.configure({ colour: 'green' })).toEqual({ ok: true, value: undefined });
    await eventually(() => (service.configs.at(-1) as { colour?: string } | undefined)?.colour === 'green');
    const refused = { ok: false, error: { kind: 'refused', reason: 'no such colour' } };
    // Over gRPC nothing answers: that it was sent is all that is known, until the agent says that it refuses.
    const sent = { ok: true, value: undefined };
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

  it('has nothing to say of an agent that it never reached', async () => {
    const transport = await openTransport(name, new FakeAgentService());
    open.push(transport);
    expect(transport.client.capabilities()).toBeNull();
    expect(transport.client.status()).toMatchObject({ name: 'auth', state: 'unreachable', connections: 0 });
    expect(failure(await transport.client.ask(headersEvent('a')))).toBe('unreachable');
  });

  it('waits for what is in flight when it stops, and takes nothing new', async () => {
    const service = new FakeAgentService();
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    const client = await connect(service);
    const asked = client.ask(headersEvent('last'));
    await service.received(1);
    const stopped = client.stop(10_000);
    expect(failure(await client.ask(headersEvent('new')))).toBe('unreachable');
    held.resolve(allowAnswer);
    expect(await asked).toEqual({ ok: true, value: allowAnswer });
    await stopped;
    expect(service.events).toHaveLength(1);
    await eventually(() => service.disconnects > 0);
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
