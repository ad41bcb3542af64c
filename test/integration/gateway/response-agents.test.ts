import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type HeaderOperation,
  type ResponseHeadersEvent,
} from '../../../src/domain/agent-protocol/messages.js';
import type { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { testRoute } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { type RawUpstream, startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import {
  type AgentPlan,
  decide,
  type GatewayWithAgents,
  startGatewayWithAgents,
  wantsMore,
} from '../../support/shared/gateway-with-agents.js';

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const lastRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Inner: secret\r\n\r\nhello';

const startWith = async (
  cleanUp: CleanUp,
  answer: string | ((socket: Socket) => void),
  plans?: readonly AgentPlan[],
): Promise<GatewayWithAgents & { readonly upstream: RawUpstream }> => {
  const upstream = await startRawUpstream((socket) => {
    if (typeof answer === 'string') socket.write(answer, 'latin1');
    else answer(socket);
  });
  cleanUp.add(() => upstream.close());
  return { ...(await startGatewayWithAgents(cleanUp, upstream.port, plans)), upstream };
};

const headsSeen = (service: FakeAgentService): ResponseHeadersEvent[] =>
  service.events.filter((event): event is ResponseHeadersEvent => event.kind === 'response_headers');

const onHead =
  (answer: AgentAnswer) =>
  (event: AgentEvent): AgentAnswer =>
    event.kind === 'response_headers' ? answer : allowAnswer;

describe('an agent with a subscription to response_headers', () => {
  it('gets the head for the client, with the id of the request', async ({ cleanUp }) => {
    const { address, service } = await startWith(
      cleanUp,
      'HTTP/1.1 203 Fine\r\nContent-Length: 5\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Thing: Value\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\nhello',
    );
    const { status, body } = await rawExchange(address, lastRequest);
    expect([status, body]).toEqual([203, 'hello']);
    const [asked, head] = service().events;
    expect(asked?.kind).toBe('request_headers');
    expect(head).toMatchObject({ kind: 'response_headers', status: 203, correlationId: asked?.correlationId });
    const { headers } = head as ResponseHeadersEvent;
    expect(headers.slice(0, 8)).toEqual([
      'content-length',
      '5',
      'x-thing',
      'Value',
      'set-cookie',
      'a',
      'set-cookie',
      'b',
    ]);
    expect(headers).not.toContain('x-hop');
  });

  it('changes the head for the next agent and the client', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, plain, [{ name: 'first' }, { name: 'second' }]);
    const operations: HeaderOperation[] = [
      { kind: 'remove', name: 'X-Inner' },
      { kind: 'add', name: 'X-Judged', value: 'yes' },
      { kind: 'set', name: 'Content-Length', value: '1' },
      { kind: 'set', name: 'Transfer-Encoding', value: 'chunked' },
    ];
    service('first').answer = onHead(decide({ kind: 'allow' }, operations));
    service('second').answer = (event) =>
      event.kind === 'request_headers'
        ? decide({ kind: 'allow' }, [{ kind: 'set', name: 'X-Early', value: '1' }])
        : allowAnswer;
    const { headers, body, raw } = await rawExchange(address, lastRequest);
    expect(body).toBe('hello');
    expect(raw).not.toContain('secret');
    expect(headers).toMatchObject({ 'x-judged': 'yes', 'x-early': '1', 'content-length': '5' });
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(headsSeen(service('first'))[0]?.headers).toEqual(expect.arrayContaining(['x-inner', 'x-early']));
    const later = headsSeen(service('second'))[0]?.headers;
    expect(later).toContain('x-judged');
    expect(later).not.toContain('x-inner');
  });

  it('has its operations applied even above the common limit', async ({ cleanUp }) => {
    const names = ['first', 'second'];
    const { address, service } = await startWith(
      cleanUp,
      plain,
      names.map((name) => ({ name })),
    );
    for (const name of names) {
      const many = Array.from({ length: 1023 }, (): HeaderOperation => ({ kind: 'remove', name: 'X-None' }));
      const last: HeaderOperation = { kind: 'add', name: 'X-Judged-By', value: name };
      service(name).answer = onHead(decide({ kind: 'allow' }, [...many, last]));
    }
    const { raw } = await rawExchange(address, lastRequest);
    expect(raw).toContain('X-Judged-By: first');
    expect(raw).toContain('X-Judged-By: second');
  });

  it('may block the response completely, and the connection continues', async ({ cleanUp }) => {
    const { address, service, accessRecords } = await startWith(cleanUp, plain);
    let turn = 0;
    service().answer = (event) => {
      if (event.kind !== 'response_headers') return allowAnswer;
      turn += 1;
      return turn === 1
        ? decide({ kind: 'block', status: 451, body: 'no', headers: ['X-Why', 'law'] }, [
            { kind: 'add', name: 'X-Judged', value: 'yes' },
          ])
        : allowAnswer;
    };
    const { raw } = await rawExchange(address, request + lastRequest);
    const [first, second] = raw.split(/(?<=no)(?=HTTP)/);
    expect(first).toMatch(/^HTTP\/1\.1 451 /);
    expect(first).toContain('X-Why: law');
    expect(first).toContain('X-Judged: yes');
    expect(first).not.toContain('hello');
    expect(first).not.toContain('X-Inner');
    expect(second).toMatch(/^HTTP\/1\.1 200 .*hello$/s);
    expect(accessRecords[0]).toMatchObject({ status: 451, errorType: 'blocked_by_agent' });
  });

  it('that blocks cancels the upstream response', async ({ cleanUp }) => {
    const closed: string[] = [];
    const { address, service } = await startWith(cleanUp, (socket) => {
      socket.on('close', () => closed.push('closed'));
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    });
    service().answer = onHead(decide({ kind: 'block', status: 403, body: null, headers: [] }));
    expect((await rawExchange(address, lastRequest)).status).toBe(403);
    await eventually(() => closed.length === 1);
  });

  it.for([
    [{ kind: 'redirect', url: 'https://other.example/', status: 303 } as const, 303, 'location'],
    [{ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'r' } } as const, 401, 'www-authenticate'],
  ] as const)('may replace the response with a $kind', async ([decision, expected, field], { cleanUp }) => {
    const { address, service } = await startWith(cleanUp, plain);
    service().answer = onHead(decide(decision));
    const { status, headers, raw } = await rawExchange(address, lastRequest);
    expect(status).toBe(expected);
    expect(headers[field]).toBeDefined();
    expect(raw).not.toContain('hello');
  });

  it('is the last agent if it does not allow', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, plain, [{ name: 'first' }, { name: 'second' }]);
    service('first').answer = onHead(decide({ kind: 'block', status: 403, body: null, headers: [] }));
    await rawExchange(address, lastRequest);
    expect(headsSeen(service('first'))).toHaveLength(1);
    expect(headsSeen(service('second'))).toHaveLength(0);
  });

  it('gives an invalid answer if it changes the request', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, plain);
    service().answer = onHead({ ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X-A', value: 'b' }] });
    const { status, raw } = await rawExchange(address, lastRequest);
    expect(status).toBe(503);
    expect(raw).not.toContain('hello');
  });

  it('gets one event for a response after interim ones, and only its head if it wants no more', async ({ cleanUp }) => {
    const { address, service } = await startWith(
      cleanUp,
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${plain}`,
    );
    expect((await rawExchange(address, lastRequest)).body).toBe('hello');
    expect(headsSeen(service()).map(({ status }) => status)).toEqual([200]);
    expect(service().events.some(({ kind }) => kind === 'response_body_chunk')).toBe(false);
  });

  it('can subscribe to only the response', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, plain, [{ name: 'late', events: ['response_headers'] }]);
    expect((await rawExchange(address, lastRequest)).status).toBe(200);
    expect(service().events.map(({ kind }) => kind)).toEqual(['response_headers']);
  });

  it('gets no responses of the gateway or of other agents', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, (socket) => socket.end('no http\r\n\r\n'), [
      { name: 'late', events: ['response_headers'] },
      { name: 'early', events: ['request_headers'] },
    ]);
    expect((await rawExchange(address, lastRequest)).status).toBe(502);
    service('early').answer = () => decide({ kind: 'block', status: 200, body: 'mine', headers: [] });
    expect((await rawExchange(address, lastRequest)).body).toBe('mine');
    expect(service('late').events).toHaveLength(0);
  });

  it('gets no WebSocket switch', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.end();
    });
    const head = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
    const { raw } = await rawExchange(address, head + key);
    expect(raw).toMatch(/^HTTP\/1\.1 101/);
    await eventually(() => service().events.some(({ kind }) => kind === 'request_complete'));
    expect(service().events.map(({ kind }) => kind)).toEqual(['request_headers', 'request_complete']);
  });
});

describe('an agent without that subscription', () => {
  it('gets no responses', async ({ cleanUp }) => {
    const { address, service } = await startWith(cleanUp, plain, [{ name: 'early', events: ['request_headers'] }]);
    expect((await rawExchange(address, lastRequest)).body).toBe('hello');
    expect(service().events.map(({ kind }) => kind)).toEqual(['request_headers']);
  });
});

describe('an agent that does not answer about a response', () => {
  const silent = (event: AgentEvent) =>
    event.kind === 'response_headers' ? new Promise<never>(() => undefined) : allowAnswer;
  const failing = (event: AgentEvent) => {
    if (event.kind === 'response_headers') throw new Error('a fault');
    return allowAnswer;
  };

  it.for([
    ['does not answer in time', silent, 504, 'agent_timeout'],
    ['fails', failing, 503, 'agent_unavailable'],
    ['wants a body that it is not subscribed to', onHead(wantsMore), 503, 'agent_unavailable'],
  ] as const)('that %s blocks the response', async ([_, answer, expected, code], { cleanUp }) => {
    const events = ['request_headers', 'response_headers', 'request_complete'] as const;
    const { address, service } = await startWith(cleanUp, plain, [{ name: 'judge', timeoutMs: 50, events }]);
    service().answer = answer;
    const { status, body, raw } = await rawExchange(address, lastRequest);
    expect(status).toBe(expected);
    expect(JSON.parse(body)).toMatchObject({ code, detail: expect.stringContaining('"judge"') });
    expect(raw).not.toContain('hello');
  });

  it.for([['does not answer in time', silent, 'timed_out']] as const)(
    'that %s is skipped with failure mode open',
    async ([_, answer, reason], { cleanUp }) => {
      const { address, service, logger, metrics } = await startWith(cleanUp, plain, [
        { name: 'judge', timeoutMs: 50, failureMode: 'open' },
        { name: 'next' },
      ]);
      service('judge').answer = answer;
      service('next').answer = onHead(decide({ kind: 'allow' }, [{ kind: 'set', name: 'X-Next', value: '1' }]));
      const { status, body, headers } = await rawExchange(address, lastRequest);
      expect([status, body, headers['x-next']]).toEqual([200, 'hello', '1']);
      expect(logger.lines).toContainEqual(
        expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ agent: 'judge', reason }) }),
      );
      expect(await metrics()).toMatch(/gateway_agent_failed_open_total\{[^}]*agent="judge"[^}]*\} 1/);
    },
  );

  it('because the client disconnects is cancelled, like the upstream', async ({ cleanUp }) => {
    const closed: string[] = [];
    const { url, service } = await startWith(
      cleanUp,
      (socket) => {
        socket.on('close', () => closed.push('closed'));
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello');
      },
      [{ name: 'judge', timeoutMs: 60_000 }, { name: 'next' }],
    );
    service('judge').answer = silent;
    const abort = new AbortController();
    const asked = fetch(url, { signal: abort.signal }).catch(() => 'gone');
    await eventually(() => headsSeen(service('judge')).length === 1);
    abort.abort();
    expect(await asked).toBe('gone');
    await eventually(() => closed.length === 1 && service('judge').cancels.length === 1);
    expect(service('judge').cancels).toMatchObject([{ reason: 'client_disconnect' }]);
    expect(headsSeen(service('next'))).toHaveLength(0);
  });
});

describe('a route without such agents', () => {
  it('gets the response unchanged', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => void socket.write(plain));
    cleanUp.add(() => upstream.close());
    const routes = [testRoute()];
    const { address, service } = await startGatewayWithAgents(cleanUp, upstream.port, [{ name: 'judge' }], { routes });
    expect((await rawExchange(address, lastRequest)).body).toBe('hello');
    expect(service().events).toHaveLength(0);
  });
});
