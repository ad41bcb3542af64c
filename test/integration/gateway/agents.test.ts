import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import {
  type AgentAnswer,
  type AgentDecision,
  type AgentEvent,
  allowAnswer,
  type HeaderOperation,
} from '../../../src/domain/agent-protocol/messages.js';
import type {
  AgentConfiguration,
  RouteConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { type Echo, echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testLimits,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

let upstream: HttpUpstream;
let reached: number;
let gateway: InProcessGateway | null = null;
let services: Map<string, FakeAgentService>;

beforeEach(async () => {
  reached = 0;
  services = new Map();
  upstream = await startHttpUpstream((request, response) => {
    reached += 1;
    echo(request, response);
  });
});

afterEach(async () => {
  await gateway?.stop();
  await upstream.close();
  gateway = null;
});

const startWith = async (
  agents: readonly AgentConfiguration[],
  routes: readonly RouteConfiguration[],
  limits = testLimits,
): Promise<InProcessGateway> => {
  gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)], { agents, routes, limits }), {
    createAgent: ({ name, timeoutMs, config }) =>
      new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        services.get(name) as FakeAgentService,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      ),
  });
  return gateway;
};

const startWithAgents = (names: readonly string[], limits = testLimits): Promise<InProcessGateway> => {
  for (const name of names) services.set(name, new FakeAgentService());
  return startWith(names.map(testAgent), [testRoute({ agents: names })], limits);
};

const service = (name = 'auth'): FakeAgentService => services.get(name) as FakeAgentService;

const decide = (decision: AgentDecision, responseHeaders: readonly HeaderOperation[] = []): AgentAnswer => ({
  ...allowAnswer,
  decision,
  responseHeaders,
});

const headersOf = ({ rawHeaders }: Echo, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

describe('a route with an agent', () => {
  it("forwards an allowed request with the agent's headers", async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () => ({
      ...allowAnswer,
      requestHeaders: [{ kind: 'set', name: 'X-User-Id', value: 'alice' }],
      responseHeaders: [{ kind: 'add', name: 'X-Judged', value: 'yes' }],
    });
    const response = await fetch(`${url}/a?b=c`, { headers: { 'X-User-Id': 'mallory' } });
    expect(response.headers.get('x-judged')).toBe('yes');
    expect(headersOf((await response.json()) as Echo, 'x-user-id')).toEqual(['alice']);
  });

  it('sends the agent the normalised path, the client, lower-case names and a unique id', async () => {
    const { url } = await startWithAgents(['auth']);
    const headers = { 'X-Correlation-Id': 'same', 'X-Thing': 'Value' };
    await Promise.all([fetch(`${url}/a/../b?c`, { headers }), fetch(`${url}/b`, { headers })]);
    const [first, second] = service().events as [AgentEvent, AgentEvent];
    expect(first.correlationId).not.toBe(second.correlationId);
    expect(first).toMatchObject({ kind: 'request_headers', method: 'GET', uri: '/b?c' });
    if (first.kind !== 'request_headers') throw new Error('no headers event');
    expect(first.metadata).toMatchObject({ clientIp: '127.0.0.1', routeId: 'all', upstreamId: 'upstream' });
    expect(first.headers[first.headers.indexOf('x-thing') + 1]).toBe('Value');
    expect(first.headers[first.headers.indexOf('x-correlation-id') + 1]).toBe('same');
  });

  it("responds with the agent's block of any status", async () => {
    const { url } = await startWithAgents(['auth']);
    for (const status of [200, 403, 503]) {
      service().answer = () =>
        decide({ kind: 'block', status, body: 'its body', headers: ['X-Its', '1', 'Content-Length', '999'] });
      const response = await fetch(url);
      expect(response.status).toBe(status);
      expect(response.headers.get('x-its')).toBe('1');
      expect(await response.text()).toBe('its body');
    }
    expect(reached).toBe(0);
  });

  it.each([204, 205, 304])('sends no body with a %i, so that the next response is intact', async (status) => {
    const { address } = await startWithAgents(['auth']);
    service().answer = () => decide({ kind: 'block', status, body: 'hello', headers: [] });
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const { raw } = await rawExchange(address, request + last);
    expect(raw).not.toContain('hello');
    expect(raw.match(new RegExp(`HTTP/1.1 ${status}`, 'g'))).toHaveLength(2);
    expect(raw).not.toContain('Content-Length: 5');
  });

  it('forwards exactly one Host', async () => {
    const { url } = await startWithAgents(['auth']);
    for (const operation of [
      { kind: 'add', name: 'Host', value: 'other' },
      { kind: 'remove', name: 'host' },
      { kind: 'set', name: 'HOST', value: 'chosen' },
    ] as const) {
      service().answer = () => ({ ...allowAnswer, requestHeaders: [operation] });
      const hosts = headersOf((await (await fetch(url)).json()) as Echo, 'host');
      expect(hosts).toEqual([operation.kind === 'set' ? 'chosen' : new URL(url).host]);
    }
  });

  it("redirects with the agent's location and cookies", async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () =>
      decide({ kind: 'redirect', url: 'https://idp.example/sso', status: 302 }, [
        { kind: 'add', name: 'Set-Cookie', value: 'a=1' },
        { kind: 'add', name: 'Set-Cookie', value: 'b=2' },
      ]);
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://idp.example/sso');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(reached).toBe(0);
  });

  it("challenges with the agent's challenge", async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () =>
      decide({ kind: 'challenge', challengeType: 'Digest', params: { realm: 'a "b"', nonce: 'n' } });
    const response = await fetch(url);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Digest realm="a \\"b\\"", nonce="n"');
    expect(await response.json()).toMatchObject({ code: 'agent_challenge' });
    expect(reached).toBe(0);
  });

  it.each([
    ['a header value that ends a line', [{ kind: 'set', name: 'X', value: 'a\r\nX-Evil: 1' }]],
    ['a header name that is none', [{ kind: 'set', name: 'X Y', value: '1' }]],
  ] as [string, HeaderOperation[]][])('rejects %s as an answer', async (_, requestHeaders) => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () => ({ ...allowAnswer, requestHeaders });
    expect((await fetch(url)).status).toBe(503);
    expect(reached).toBe(0);
  });

  it('protects framing and connection from agents', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () => ({
      ...allowAnswer,
      requestHeaders: [
        { kind: 'set', name: 'Content-Length', value: '1' },
        { kind: 'set', name: 'Transfer-Encoding', value: 'chunked' },
        { kind: 'set', name: 'Connection', value: 'X' },
      ],
    });
    const response = await fetch(url, { method: 'POST', body: 'whole' });
    expect(await response.json()).toMatchObject({ body: 'whole' });
  });

  it('asks agents in order with earlier changes, and stops at the first refusal', async () => {
    const { url } = await startWithAgents(['first', 'second', 'third']);
    service('first').answer = () => ({
      ...allowAnswer,
      requestHeaders: [{ kind: 'set', name: 'X-First', value: '1' }],
      responseHeaders: [{ kind: 'add', name: 'X-Seen-By', value: 'first' }],
    });
    service('second').answer = () => decide({ kind: 'block', status: 403, body: null, headers: [] });
    const response = await fetch(url);
    expect(response.status).toBe(403);
    expect(response.headers.get('x-seen-by')).toBe('first');
    const [event] = service('second').events;
    expect(event?.kind === 'request_headers' && event.headers.includes('x-first')).toBe(true);
    expect(service('third').events).toHaveLength(0);
    expect(reached).toBe(0);
  });

  it('answers 504 when the agent times out, and cancels its call', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () => new Promise(() => undefined);
    const response = await fetch(url);
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: 'agent_timeout', detail: expect.stringContaining('"auth"') });
    expect(service().cancels).toMatchObject([{ reason: 'timeout' }]);
    expect(reached).toBe(0);
  });

  it('cancels the call when the client disconnects', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () => new Promise(() => undefined);
    const abort = new AbortController();
    const asked = fetch(url, { signal: abort.signal }).catch(() => 'gone');
    await service().received(1);
    abort.abort();
    expect(await asked).toBe('gone');
    await expect.poll(() => service().cancels).toMatchObject([{ reason: 'client_disconnect' }]);
    expect(reached).toBe(0);
  });
});

describe('an agent that wants the body', () => {
  const wantsMore: AgentAnswer = { ...allowAnswer, needsMore: true };
  const untilLast = (event: AgentEvent): AgentAnswer =>
    event.kind === 'request_body_chunk' && event.isLast ? allowAnswer : wantsMore;

  it('gets the complete body before the upstream does', async () => {
    const { url } = await startWithAgents(['auth']);
    let reachedBefore = -1;
    service().answer = (event) => {
      reachedBefore = reached;
      return untilLast(event);
    };
    const body = 'x'.repeat(200_000);
    const response = await fetch(url, { method: 'POST', body });
    expect(((await response.json()) as Echo).body).toBe(body);
    expect(reachedBefore).toBe(0);
    const chunks = service().events.filter((event) => event.kind === 'request_body_chunk');
    expect(Buffer.concat(chunks.map(({ data }) => data)).toString()).toBe(body);
    expect(chunks.map(({ chunkIndex }) => chunkIndex)).toEqual(chunks.map((_, index) => index));
    expect(chunks.map(({ isLast }) => isLast)).toEqual(chunks.map((_, index) => index === chunks.length - 1));
    expect(chunks.at(-1)?.bytesReceived).toBe(200_000);
  });

  it('gets an empty last chunk without a body', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = untilLast;
    expect((await fetch(url)).status).toBe(200);
    expect(service().events[1]).toMatchObject({ kind: 'request_body_chunk', isLast: true, totalSize: 0 });
  });

  it('may decide early: the rest of the body is streamed', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = (event) => (event.kind === 'request_headers' ? wantsMore : allowAnswer);
    const response = await fetch(url, { method: 'POST', body: 'y'.repeat(300_000) });
    expect(((await response.json()) as Echo).body).toHaveLength(300_000);
  });

  it('may refuse by the body', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = (event) =>
      event.kind === 'request_headers' ? wantsMore : decide({ kind: 'block', status: 400, body: 'bad', headers: [] });
    const response = await fetch(url, { method: 'POST', body: 'z' });
    expect(response.status).toBe(400);
    expect(reached).toBe(0);
  });

  it('must not request more after the last chunk', async () => {
    const { url } = await startWithAgents(['auth']);
    service().answer = () => wantsMore;
    const response = await fetch(url, { method: 'POST', body: 'z' });
    expect(response.status).toBe(503);
    expect(reached).toBe(0);
  });

  it('needs a subscription, otherwise the request is not forwarded', async () => {
    services.set('auth', new FakeAgentService());
    const agent = { ...testAgent('auth'), events: ['request_headers'] as const };
    await startWith([agent], [testRoute({ agents: ['auth'] })]);
    service().answer = () => wantsMore;
    expect((await fetch(gateway?.url ?? '', { method: 'POST', body: 'z' })).status).toBe(503);
    expect(service().events).toHaveLength(1);
    expect(reached).toBe(0);
  });

  it('gets no part of a body above the inspection limit: the client gets 413', async () => {
    const { url } = await startWithAgents(['auth'], { ...testLimits, maxBodyInspectionBytes: 1000 });
    service().answer = untilLast;
    expect((await fetch(url, { method: 'POST', body: 'a'.repeat(1000) })).status).toBe(200);
    const large = await fetch(url, { method: 'POST', body: 'a'.repeat(1001) });
    expect(large.status).toBe(413);
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('a'.repeat(1001)));
        controller.close();
      },
    });
    const chunked = await fetch(url, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(reached).toBe(1);
  });
});
