import { afterEach, describe, expect, it } from 'vitest';
import type { AgentClient, AgentOutcome } from '../../src/application/ports/gateway/agent-client.js';
import { maxHeaderOperations } from '../../src/domain/agent-protocol/header-operations.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type BodyMutation,
} from '../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../src/domain/gateway/configuration/gateway-configuration.js';
import { Deferred, FakeAgentService } from '../support/agent/fake-agent-service.js';
import {
  chunkEvent,
  completeEvent,
  decided,
  headersEvent,
  needsMoreAnswer,
  responseChunkEvent,
  responseEvent,
} from '../support/shared/agent-events.js';
import { everyTransportName } from '../support/shared/agent-transports.js';
import { OpenTransports } from '../support/shared/open-transports.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

describe.each(everyTransportName)('the events of a request and its response, by the %s transport', (name) => {
  const transports = new OpenTransports(name);
  afterEach(() => transports.close());

  const opened = async (
    answer: FakeAgentService['answer'] = () => allowAnswer,
    timeoutMs = 5_000,
  ): Promise<{ service: FakeAgentService; client: AgentClient }> => {
    const service = new FakeAgentService();
    service.supportedEvents = [...agentSubscriptions, 'configure'];
    service.answer = answer;
    const { client } = await transports.connect(service, { timeoutMs });
    return { service, client };
  };

  it('reach the agent in their order, with all they say that the transport has a place for', async () => {
    const wants = (event: AgentEvent): AgentAnswer =>
      event.kind === 'request_complete' || ('isLast' in event && event.isLast) ? allowAnswer : needsMoreAnswer;
    const { service, client } = await opened(wants);
    const events: AgentEvent[] = [
      headersEvent('a', { method: 'POST', headers: ['content-length', '5'] }),
      chunkEvent('a', { data: Uint8Array.of(0, 255, 10), isLast: false, totalSize: 5, bytesReceived: 3 }),
      chunkEvent('a', { data: Uint8Array.of(1, 2), totalSize: 5, chunkIndex: 1, bytesReceived: 5 }),
      responseEvent('a', { status: 418, headers: ['set-cookie', 'a=1', 'x', '\u00ff', 'set-cookie', 'b=2'] }),
      responseChunkEvent('a', { data: Uint8Array.of(128, 0), isLast: false, bytesSent: 2 }),
      responseChunkEvent('a', { data: Uint8Array.of(7), chunkIndex: 1, bytesSent: 3 }),
      completeEvent('a', { status: 418, upstream: name === 'grpc' ? 'app' : null, error: 'upstream_error' }),
    ];
    for (const event of events) expect(await client.ask(event)).toMatchObject({ ok: true });
    expect(service.events.map(({ kind }) => kind)).toEqual(events.map(({ kind }) => kind));
    for (const [index, event] of events.entries()) {
      const seen = service.events[index] as AgentEvent;
      const expected = { ...event, headers: expect.anything() };
      if (event.kind === 'request_complete' && name === 'grpc') {
        // No field of the message says how often the upstream was tried.
        expect(seen).toEqual({ ...event, upstreamAttempts: expect.any(Number) });
      } else if ('data' in event) {
        expect({ ...seen, data: [...(seen as typeof event).data] }).toEqual({ ...event, data: [...event.data] });
      } else {
        expect(seen).toMatchObject('headers' in event ? expected : event);
      }
    }
    const response = service.events[3];
    const values = response?.kind === 'response_headers' ? response.headers.filter((_, index) => index % 2 === 1) : [];
    expect([...values].sort()).toEqual(['a=1', 'b=2', '\u00ff']);
    expect(values.indexOf('a=1')).toBeLessThan(values.indexOf('b=2'));
  });

  const changes: readonly [string, string | null][] = [
    ['leaves', null],
    ['drops', ''],
    ['replaces', 'new \u0000\u00ff octets'],
  ];

  it.each(changes)('may bring a mutation that %s the chunk, if the transport has a place for it', async (_, text) => {
    const mutation = (chunkIndex: number): BodyMutation => ({
      chunkIndex,
      data: text === null ? null : Buffer.from(text, 'latin1'),
    });
    const { client } = await opened((event) => {
      if (event.kind === 'request_body_chunk') {
        return { ...allowAnswer, needsMore: !event.isLast, requestBodyMutation: mutation(event.chunkIndex) };
      }
      if (event.kind === 'response_body_chunk') {
        return { ...allowAnswer, needsMore: !event.isLast, responseBodyMutation: mutation(event.chunkIndex) };
      }
      return needsMoreAnswer;
    });
    const dialogue = async (events: readonly AgentEvent[]): Promise<AgentAnswer[]> => {
      const answers: AgentAnswer[] = [];
      for (const event of events) {
        const outcome = await client.ask(event);
        if (!outcome.ok) throw new Error(outcome.error.detail);
        answers.push(outcome.value);
        if (outcome.value.decision.kind !== 'allow') break;
      }
      return answers.slice(1);
    };
    const request = await dialogue([
      headersEvent('m'),
      chunkEvent('m', { data: Uint8Array.of(1), isLast: false }),
      chunkEvent('m', { chunkIndex: 1 }),
    ]);
    const response = await dialogue([
      responseEvent('m'),
      responseChunkEvent('m', { data: Uint8Array.of(1), isLast: false }),
      responseChunkEvent('m', { chunkIndex: 1 }),
    ]);
    if (name === 'grpc') {
      // What cannot be said is never an allow of the body as it was.
      const block = { kind: 'block', status: 500 };
      const all = text === null ? [{ kind: 'allow' }, { kind: 'allow' }] : [block];
      expect(request).toMatchObject(all.map((decision) => ({ decision })));
      expect(response).toMatchObject(all.map((decision) => ({ decision })));
      return;
    }
    const told = (found: BodyMutation | null) =>
      found && { ...found, data: found.data && Buffer.from(found.data).toString('latin1') };
    const expected = [0, 1].map((chunkIndex) => ({ chunkIndex, data: text }));
    expect(request.map(({ requestBodyMutation }) => told(requestBodyMutation))).toEqual(expected);
    expect(response.map(({ responseBodyMutation }) => told(responseBodyMutation))).toEqual(expected);
  });

  const chunked = { chunkIndex: 0, data: Uint8Array.of(1) };
  const misplaced: readonly [string, AgentEvent, Partial<AgentAnswer>][] = [
    ['the head of a request', headersEvent('x'), { requestBodyMutation: chunked }],
    ['the head of a response', responseEvent('x'), { responseBodyMutation: chunked }],
    ['a request that is over', completeEvent('x'), { requestBodyMutation: chunked }],
  ];

  it.each(misplaced)('never bring a mutation for %s', async (_, event, members) => {
    const { client } = await opened(() => ({ ...allowAnswer, ...members }));
    const outcome = await client.ask(event);
    if (name === 'grpc') expect(outcome).toMatchObject({ value: { decision: { kind: 'block', status: 500 } } });
    else expect(codeOf(outcome)).toBe('malformed_answer');
  });

  const faults: readonly [string, AgentEvent, Partial<AgentAnswer>][] = [
    [
      'request header operations',
      responseEvent('x'),
      { requestHeaders: [{ kind: 'set', name: 'X-User-Id', value: 'mallory' }] },
    ],
    ['the wish for more', completeEvent('x'), { needsMore: true }],
    ['the status of none', responseEvent('x'), { decision: { kind: 'block', status: 42, body: null, headers: [] } }],
  ];

  it.each(faults)('that are answered with %s they cannot have are malformed', async (_, event, members) => {
    const { client } = await opened(() => ({ ...allowAnswer, ...members }));
    expect(codeOf(await client.ask(event))).toBe('malformed_answer');
  });

  it('are judged with 10 000 headers as with any other number', async () => {
    const { service, client } = await opened();
    const headers = Array.from({ length: 10_000 }, (_, index) => [`x-${index}`, `value ${index}`]).flat();
    expect(codeOf(await client.ask(headersEvent('a', { headers })))).toBe('allow');
    expect(codeOf(await client.ask(responseEvent('a', { headers })))).toBe('allow');
    for (const event of service.events) {
      const seen = 'headers' in event ? event.headers : [];
      expect(seen).toHaveLength(20_000);
      expect(seen[seen.indexOf('x-9999') + 1]).toBe('value 9999');
    }
  });

  it('take no answer of 10 000 header operations, nor a part of one', async () => {
    const operations = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ kind: 'set' as const, name: `X-${index}`, value: 'y' }));
    const { service, client } = await opened(() => ({ ...allowAnswer, requestHeaders: operations(10_000) }));
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('malformed_answer');
    service.answer = () => ({ ...allowAnswer, requestHeaders: operations(maxHeaderOperations) });
    expect(codeOf(await client.ask(headersEvent('b')))).toBe('allow');
  });

  it('of a response are each about their own request, though all are asked at once', async () => {
    const { client } = await opened(async (event) => {
      for (let turn = Number(event.correlationId) % 7; turn > 0; turn -= 1) await new Promise(setImmediate);
      return decided({ kind: 'block', status: 403, body: event.correlationId, headers: [] });
    });
    const ids = Array.from({ length: 60 }, (_, index) => `${index}`);
    const outcomes = await Promise.all(ids.map((id) => client.ask(responseEvent(id))));
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.value.decision : null))).toMatchObject(
      ids.map((body) => ({ body })),
    );
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('have no use for an answer after the time, not even where the request goes on to its next event', async () => {
    const late = new Deferred<AgentAnswer>();
    const { service, client } = await opened(
      (event) => (event.kind === 'request_headers' && event.correlationId === 'late' ? late.promise : allowAnswer),
      30,
    );
    expect(codeOf(await client.ask(headersEvent('late')))).toBe('timed_out');
    // The end of the request may be told before the late answer is there, and gets none of it.
    const told = client.ask(completeEvent('late'));
    late.resolve(decided({ kind: 'redirect', url: 'https://evil.example/', status: 302 }));
    expect(['allow', 'timed_out']).toContain(codeOf(await told));
    service.answer = () => allowAnswer;
    for (const id of ['n1', 'n2', 'n3']) expect(codeOf(await client.ask(headersEvent(id)))).not.toBe('redirect');
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });
});
