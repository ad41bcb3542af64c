import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentClient, AgentOutcome } from '../../src/application/ports/gateway/agent-client.js';
import type { AgentFailureCode } from '../../src/domain/agent-protocol/failure-rules.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import { Deferred, FakeAgentService } from '../support/agent/fake-agent-service.js';
import { chunkEvent, decided, headersEvent, needsMoreAnswer } from '../support/shared/agent-events.js';
import {
  type AgentTransport,
  everyTransportName,
  openTransport,
  type TransportSettings,
} from '../support/shared/agent-transports.js';
import { eventually } from '../support/shared/eventually.js';

const failure = (outcome: AgentOutcome): AgentFailureCode | 'answered' =>
  outcome.ok ? 'answered' : outcome.error.code;

describe.each(everyTransportName)('calls to an agent by the %s transport', (name) => {
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
    // Whichever connection is the least busy now.
    const busy = client.ask(headersEvent('busy'));
    const first = new Uint8Array([0, 255, 128, 13, 10]);
    expect(await client.ask(chunkEvent('d', { data: first, isLast: false, bytesReceived: 5 }))).toMatchObject({
      ok: true,
    });
    const last = await client.ask(chunkEvent('d', { data: new Uint8Array([65]), chunkIndex: 1, bytesReceived: 6 }));
    expect(last).toMatchObject({ ok: true, value: { decision: { kind: 'block', body: 'done' } } });
    expect(bodies).toEqual(['\u0000\u00ff\u0080\r\n', 'A']);
    const origins = service.origins.filter((_, index) => service.events[index]?.correlationId === 'd');
    expect([origins.length, new Set(origins).size]).toEqual([3, 1]);
    expect(failure(await client.ask(chunkEvent('d')))).toBe('disconnected');
    held.resolve(allowAnswer);
    await busy;
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
});
