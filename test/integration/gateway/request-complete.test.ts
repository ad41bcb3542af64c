import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { allowAnswer, type RequestCompleteEvent } from '../../../src/domain/agent-protocol/messages.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { testLimits, testRoute } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import {
  type AgentPlan,
  decide,
  type GatewayWithAgents,
  startGatewayWithAgents,
  wantsMore,
  wholeResponse,
} from '../../support/shared/gateway-with-agents.js';

const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const post = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc';
const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const block = decide({ kind: 'block', status: 403, body: 'no', headers: [] });

const startWith = async (
  cleanUp: CleanUp,
  answer: (socket: Socket) => void = (socket) => void socket.write(plain),
  plans?: readonly AgentPlan[],
  changes?: Partial<GatewayConfiguration>,
): Promise<GatewayWithAgents> => {
  const upstream = await startRawUpstream(answer);
  cleanUp.add(() => upstream.close());
  return startGatewayWithAgents(cleanUp, upstream.port, plans, changes);
};

const endsSeen = (service: FakeAgentService): RequestCompleteEvent[] =>
  service.events.filter((event): event is RequestCompleteEvent => event.kind === 'request_complete');

/**
 * What an agent was told of the end, once the gateway has written so many requests down: whatever it tells is told
 * then.
 */
const endsAfter = async (gateway: GatewayWithAgents, requests = 1, name?: string): Promise<RequestCompleteEvent[]> => {
  await eventually(() => gateway.accessRecords.length === requests);
  return endsSeen(gateway.service(name));
};

describe('an agent with a subscription to request_complete gets it once', () => {
  it('for a served request', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp);
    await rawExchange(gateway.address, post);
    const ends = await endsAfter(gateway);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({
      correlationId: gateway.service().events[0]?.correlationId,
      status: 200,
      requestBodySize: 3,
      responseBodySize: 5,
      upstreamAttempts: 1,
      upstream: 'upstream',
      error: null,
    });
    expect(Number.isInteger(ends[0]?.durationMs)).toBe(true);
    expect(gateway.service().events.at(-1)).toBe(ends[0]);
  });

  it('for a request that an agent blocks', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp);
    gateway.service().answer = () => block;
    await rawExchange(gateway.address, get);
    expect(await endsAfter(gateway)).toMatchObject([
      { status: 403, responseBodySize: 2, upstreamAttempts: 0, upstream: null, error: 'blocked_by_agent' },
    ]);
  });

  it('for a response that an agent blocks', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp);
    gateway.service().answer = (event) => (event.kind === 'response_headers' ? block : allowAnswer);
    await rawExchange(gateway.address, get);
    expect(await endsAfter(gateway)).toMatchObject([{ status: 403, upstreamAttempts: 1, error: 'blocked_by_agent' }]);
  });

  it('for a failed upstream request', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, (socket) => socket.destroy());
    await rawExchange(gateway.address, post);
    expect(await endsAfter(gateway)).toMatchObject([
      { status: 502, upstreamAttempts: 1, upstream: 'upstream', error: 'upstream_unreachable' },
    ]);
  });

  it('for a response truncated after its head', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', () => setImmediate(() => socket.destroy()));
    });
    await rawExchange(gateway.address, get);
    expect(await endsAfter(gateway)).toMatchObject([{ status: 200, error: 'upstream_unreachable' }]);
  });

  it('for a request that another agent did not answer', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, undefined, [{ name: 'judge' }, { name: 'broken' }]);
    gateway.service('broken').answer = (event) => {
      if (event.kind === 'request_headers') throw new Error('a fault');
      return allowAnswer;
    };
    await rawExchange(gateway.address, get);
    for (const name of ['judge', 'broken']) {
      expect(await endsAfter(gateway, 1, name)).toMatchObject([{ status: 503, error: 'agent_unavailable' }]);
    }
  });

  it.for(['request_headers', 'response_headers', 'response_body_chunk'] as const)(
    'for a client that disconnects during %s',
    async (kind, { cleanUp }) => {
      const gateway = await startWith(cleanUp);
      const service = gateway.service();
      service.answer = (event) => (event.kind === kind ? new Promise(() => undefined) : wholeResponse(event));
      const abort = new AbortController();
      const asked = fetch(gateway.url, { signal: abort.signal }).catch(() => 'gone');
      await eventually(() => service.events.at(-1)?.kind === kind);
      abort.abort();
      await asked;
      expect(await endsAfter(gateway)).toMatchObject([{ status: 499, error: 'client_gone' }]);
      expect(service.cancels).toMatchObject([{ reason: 'client_disconnect' }]);
      expect(service.events.at(-1)?.kind).toBe('request_complete');
    },
  );

  it('for a client that disconnects while the upstream is awaited', async ({ cleanUp }) => {
    let isReached = false;
    const gateway = await startWith(cleanUp, () => {
      isReached = true;
    });
    const abort = new AbortController();
    const asked = fetch(gateway.url, { signal: abort.signal }).catch(() => 'gone');
    await eventually(() => isReached);
    abort.abort();
    await asked;
    expect(await endsAfter(gateway)).toMatchObject([{ status: 499, error: 'client_gone' }]);
    expect(gateway.service().events.map(({ kind }) => kind)).toEqual(['request_headers', 'request_complete']);
  });

  it('for every request of the route without a subscription to requests', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, undefined, [
      { name: 'judge' },
      { name: 'ends', events: ['request_complete'] },
    ]);
    await rawExchange(gateway.address, get);
    gateway.service('judge').answer = () => block;
    await rawExchange(gateway.address, get);
    expect(await endsAfter(gateway, 2, 'ends')).toMatchObject([{ status: 200 }, { status: 403 }]);
    expect(gateway.service('ends').events).toHaveLength(2);
  });
});

describe('an agent with a subscription to request_complete does not get it', () => {
  it('for a request that an earlier agent decided', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, undefined, [{ name: 'first' }, { name: 'second' }]);
    gateway.service('first').answer = () => block;
    await rawExchange(gateway.address, get);
    expect(await endsAfter(gateway, 1, 'first')).toHaveLength(1);
    expect(gateway.service('second').events).toHaveLength(0);
  });

  it('for a request that never reached the agents', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, undefined, [{ name: 'judge' }], {
      limits: { ...testLimits, maxBodySizeBytes: 2 },
    });
    expect((await rawExchange(gateway.address, post)).status).toBe(413);
    expect(await endsAfter(gateway)).toHaveLength(0);
  });

  it('for a request of another route', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, undefined, [{ name: 'judge' }], { routes: [testRoute()] });
    expect((await rawExchange(gateway.address, get)).status).toBe(200);
    expect(await endsAfter(gateway)).toHaveLength(0);
  });
});

describe('the answer time of an agent', () => {
  const answersOf = async (gateway: GatewayWithAgents): Promise<number> =>
    Number(/^gateway_agent_latency_seconds_count\{.*\} (\d+)$/m.exec(await gateway.metrics())?.[1] ?? 0);

  it('is recorded once for each answered event', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp);
    const service = gateway.service();
    service.answer = (event) => {
      if (event.kind === 'request_headers' || (event.kind === 'request_body_chunk' && !event.isLast)) return wantsMore;
      return event.kind === 'response_headers' ? Promise.reject(new Error('a fault')) : wholeResponse(event);
    };
    await rawExchange(gateway.address, post);
    await endsAfter(gateway);
    expect(service.events.map(({ kind }) => kind)).toEqual([
      'request_headers',
      'request_body_chunk',
      'response_headers',
      'request_complete',
    ]);
    await expect.poll(() => answersOf(gateway)).toBe(3);
  });
});

describe('an answer to request_complete', () => {
  it.for([
    ['a refusal', () => block],
    ['a fault', () => Promise.reject(new Error('a fault'))],
    ['silence', () => new Promise<never>(() => undefined)],
  ] as const)('changes nothing: %s', async ([_, answer], { cleanUp }) => {
    const gateway = await startWith(cleanUp);
    gateway.service().answer = (event) => (event.kind === 'request_complete' ? answer() : allowAnswer);
    for (let turn = 1; turn <= 2; turn += 1) {
      const { status, body } = await rawExchange(gateway.address, get);
      expect([status, body]).toEqual([200, 'hello']);
    }
    expect(await endsAfter(gateway, 2)).toHaveLength(2);
  });
});
