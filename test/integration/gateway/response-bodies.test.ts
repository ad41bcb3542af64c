import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import {
  type AgentEvent,
  allowAnswer,
  type ResponseBodyChunkEvent,
} from '../../../src/domain/agent-protocol/messages.js';
import type { LimitsConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { testLimits, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { askTwice, type KeptAliveAnswer } from '../../support/gateway/kept-alive.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import {
  type AgentPlan,
  decide,
  type GatewayWithAgents,
  mutatedResponse,
  startGatewayWithAgents,
  wantsMore,
  wholeResponse,
} from '../../support/shared/gateway-with-agents.js';

const lastRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

interface Plan {
  readonly agents?: readonly AgentPlan[];
  readonly limits?: Partial<LimitsConfiguration>;
  readonly readMs?: number;
}

const startWith = async (
  cleanUp: CleanUp,
  answer: Buffer | string | ((socket: Socket, head: string) => void),
  { agents, limits, readMs }: Plan = {},
): Promise<GatewayWithAgents> => {
  const upstream = await startRawUpstream((socket, head) => {
    if (typeof answer === 'function') answer(socket, head);
    else socket.write(answer);
  });
  cleanUp.add(() => upstream.close());
  const changes = {
    limits: { ...testLimits, ...limits },
    ...(readMs === undefined
      ? {}
      : { upstreams: [testUpstream(upstream.port, { timeouts: { connectMs: 1_000, readMs, requestMs: 5_000 } })] }),
  };
  return startGatewayWithAgents(cleanUp, upstream.port, agents, changes);
};

const withLength = (body: Buffer | string, fields = ''): Buffer => {
  const octets = Buffer.from(body);
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${octets.length}\r\n${fields}\r\n`;
  return Buffer.concat([Buffer.from(head), octets]);
};

const chunked = (pieces: readonly string[], trailers = ''): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${pieces
    .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    .join('')}0\r\n${trailers}\r\n`;

const chunksSeen = (service: FakeAgentService): ResponseBodyChunkEvent[] =>
  service.events.filter((event): event is ResponseBodyChunkEvent => event.kind === 'response_body_chunk');

const textSeen = (service: FakeAgentService): string =>
  Buffer.concat(chunksSeen(service).map(({ data }) => data)).toString('latin1');

/** Requests whose upstream counts as failed. */
const failuresOf = async (gateway: GatewayWithAgents): Promise<number> =>
  Number(/^gateway_upstream_failures_total\{[^}]*\} (\d+)$/m.exec(await gateway.metrics())?.[1] ?? 0);

/** The answer that both of two requests on one connection get. */
const askBoth = async ({ address }: GatewayWithAgents, method?: string): Promise<KeptAliveAnswer> => {
  const [first, second] = await askTwice(address, method);
  expect(second.status).toBe(first.status);
  expect(second.body.length).toBe(first.body.length);
  return second;
};

describe('an agent that wants the body of a response', () => {
  it('gets the complete body before the client does', async ({ cleanUp }) => {
    const body = 'x'.repeat(200_000);
    const gateway = await startWith(cleanUp, withLength(body));
    const service = gateway.service();
    let sentBefore = -1;
    service.answer = (event) => {
      if (event.kind === 'response_body_chunk') sentBefore = gateway.accessRecords.length;
      return wholeResponse(event);
    };
    const response = await fetch(gateway.url);
    expect(response.headers.get('content-length')).toBe('200000');
    expect((await response.text()) === body).toBe(true);
    expect(sentBefore).toBe(0);
    const chunks = chunksSeen(service);
    expect(textSeen(service) === body).toBe(true);
    expect(chunks.map(({ chunkIndex }) => chunkIndex)).toEqual(chunks.map((_, index) => index));
    expect(chunks.map(({ isLast }) => isLast)).toEqual(chunks.map((_, index) => index === chunks.length - 1));
    expect(chunks.at(-1)).toMatchObject({ totalSize: 200_000, bytesSent: 200_000 });
  });

  it('delays the head until it decides', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'),
    );
    const service = gateway.service();
    service.answer = wholeResponse;
    let isHeadOut = false;
    const abort = new AbortController();
    const asked = fetch(gateway.url, { signal: abort.signal }).then(
      () => {
        isHeadOut = true;
      },
      () => undefined,
    );
    await eventually(() => textSeen(service) === 'hello');
    expect(isHeadOut).toBe(false);
    abort.abort();
    await asked;
  });

  it('gets a chunked body, and trailers stay', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, chunked(['hel', 'lo'], 'X-Sum: 42\r\n'));
    gateway.service().answer = wholeResponse;
    const { body, raw, headers } = await rawExchange(gateway.address, lastRequest);
    expect(body).toBe('hello');
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(raw).toContain('\r\n0\r\nX-Sum: 42\r\n');
    expect(textSeen(gateway.service())).toBe('hello');
  });

  it.for([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', '5'],
    ['GET', 'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n', undefined],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', '5'],
  ] as const)('gets one empty last chunk without a body: %s, %s', async ([method, answer, length], { cleanUp }) => {
    const gateway = await startWith(cleanUp, answer);
    gateway.service().answer = wholeResponse;
    const { status, headers, body } = await askBoth(gateway, method);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect([headers['content-length'], body]).toEqual([length, '']);
    expect(chunksSeen(gateway.service())).toHaveLength(2);
    expect(chunksSeen(gateway.service())[0]).toMatchObject({ isLast: true, totalSize: 0, bytesSent: 0 });
  });

  it('may decide early: the rest is streamed', async ({ cleanUp }) => {
    let finish = (): void => undefined;
    const gateway = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello');
      finish = () => socket.write('world');
    });
    gateway.service().answer = (event) => (event.kind === 'response_headers' ? wantsMore : allowAnswer);
    const response = await fetch(gateway.url);
    expect(chunksSeen(gateway.service()).map(({ isLast }) => isLast)).toEqual([false]);
    finish();
    expect(await response.text()).toBe('helloworld');
  });

  it('may refuse the response by its body', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('secret'));
    gateway.service().answer = (event) =>
      event.kind === 'response_body_chunk'
        ? decide({ kind: 'block', status: 403, body: 'no', headers: [] })
        : wholeResponse(event);
    expect(await askBoth(gateway)).toMatchObject({ status: 403, body: 'no' });
  });

  it('must not request more after the last chunk: nothing is sent', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('secret'));
    gateway.service().answer = (event) => (event.kind === 'request_headers' ? allowAnswer : wantsMore);
    const { status, raw } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(503);
    expect(raw).not.toContain('secret');
  });

  it('is cancelled when the client disconnects, like the upstream', async ({ cleanUp }) => {
    const closed: string[] = [];
    const gateway = await startWith(cleanUp, (socket) => {
      socket.on('close', () => closed.push('closed'));
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello');
    });
    const service = gateway.service();
    service.answer = wholeResponse;
    const abort = new AbortController();
    const asked = fetch(gateway.url, { signal: abort.signal }).catch(() => 'gone');
    await eventually(() => chunksSeen(service).length === 1);
    abort.abort();
    expect(await asked).toBe('gone');
    await eventually(() => closed.length === 1 && service.events.at(-1)?.kind === 'request_complete');
    expect(service.cancels).toMatchObject([{ reason: 'client_disconnect' }]);
    expect(chunksSeen(service)).toHaveLength(1);
  });
});

describe('an agent that changes the body of a response', () => {
  const mutations: [string, (text: string, isLast: boolean) => string | null, string][] = [
    ['longer', (text) => `${text}, world`, 'hello, world'],
    ['shorter', (text) => text.slice(1, 3), 'el'],
    ['as long, and another', (text) => text.toUpperCase(), 'HELLO'],
    ['nothing', () => '', ''],
  ];

  it.for(mutations)(
    'makes it %s, with the right Content-Length, and without effect on the next',
    async ([_, mutate, left], { cleanUp }) => {
      const gateway = await startWith(cleanUp, withLength('hello', 'ETag: "a"\r\n'));
      gateway.service().answer = mutatedResponse(mutate);
      const { status, body, headers } = await askBoth(gateway);
      expect(status).toBe(200);
      expect(body).toBe(left);
      expect(headers['content-length']).toBe(String(left.length));
    },
  );

  it.for(mutations)('makes a chunked one %s, with new framing', async ([_, mutate, left], { cleanUp }) => {
    const gateway = await startWith(cleanUp, chunked(['hello'], 'X-Sum: 42\r\n'));
    gateway.service().answer = mutatedResponse((text, isLast) => (isLast && text === '' ? null : mutate(text, isLast)));
    const { status, body, headers } = await askBoth(gateway);
    expect([status, body]).toEqual([200, left]);
    expect(headers['content-length'] === undefined).toBe(headers['transfer-encoding'] === 'chunked');
  });

  it('may append, also to an empty body', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    gateway.service().answer = mutatedResponse((text, isLast) => (isLast ? `${text}<!-- seen -->` : null));
    const { status, body, headers } = await askBoth(gateway);
    expect(status).toBe(200);
    expect([body, headers['content-length']]).toEqual(['<!-- seen -->', '13']);
  });

  it('and decides early is followed by the unchanged rest', async ({ cleanUp }) => {
    let finish = (): void => undefined;
    const gateway = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello');
      finish = () => socket.write('world');
    });
    gateway.service().answer = (event) => {
      if (event.kind !== 'response_body_chunk') return wholeResponse(event);
      return { ...allowAnswer, responseBodyMutation: { chunkIndex: event.chunkIndex, data: Buffer.from('') } };
    };
    const response = await fetch(gateway.url);
    expect(response.headers.get('content-length')).toBe('5');
    finish();
    expect(await response.text()).toBe('world');
  });

  it('passes its result to the next agent', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('hello'), { agents: [{ name: 'first' }, { name: 'second' }] });
    gateway.service('first').answer = mutatedResponse((text) => text.toUpperCase().repeat(2));
    gateway.service('second').answer = wholeResponse;
    expect((await rawExchange(gateway.address, lastRequest)).body).toBe('HELLOHELLO');
    expect(textSeen(gateway.service('second'))).toBe('HELLOHELLO');
    const head = gateway.service('second').events.find(({ kind }) => kind === 'response_headers');
    expect(head).toMatchObject({ headers: expect.arrayContaining(['content-length', '10']) });
  });

  it.for([
    ['HEAD', 200, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', '5'],
    ['GET', 204, 'HTTP/1.1 204 No Content\r\n\r\n', undefined],
    ['GET', 304, 'HTTP/1.1 304 Not Modified\r\nContent-Length: 55\r\n\r\n', '55'],
  ] as const)(
    'adds none to a response without content: %s, %d',
    async ([method, status, answer, length], { cleanUp }) => {
      const gateway = await startWith(cleanUp, answer);
      gateway.service().answer = mutatedResponse(() => 'smuggled');
      const left = await askBoth(gateway, method);
      expect(left).toMatchObject({ status, body: '' });
      expect(left.headers['content-length']).toBe(length);
      expect(chunksSeen(gateway.service())).toMatchObject([{ isLast: true }, { isLast: true }]);
    },
  );

  it('keeps trailers', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, chunked(['hel', 'lo'], 'X-Sum: 42\r\nX_Correlation_Id: mine\r\n'));
    for (const [made, framed] of [
      ['HELLO', 'LO\r\n0\r\nX-Sum: 42\r\n\r\n'],
      ['', '\r\n\r\n0\r\nX-Sum: 42\r\n\r\n'],
    ] as const) {
      gateway.service().answer = mutatedResponse((text) => (made === '' ? '' : text.toUpperCase()));
      const { raw, headers, body } = await rawExchange(gateway.address, lastRequest);
      expect(body).toBe(made);
      expect(headers['content-length']).toBeUndefined();
      expect(headers['transfer-encoding']).toBe('chunked');
      expect(raw.endsWith(framed)).toBe(true);
    }
  });

  it('keeps trailers of an encoded body', async ({ cleanUp }) => {
    const coded = gzipSync('hello').toString('latin1');
    const gateway = await startWith(cleanUp, (socket) => {
      const head = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n';
      const length = coded.length.toString(16);
      socket.write(Buffer.from(`${head}${length}\r\n${coded}\r\n0\r\nX-Sum: 42\r\n\r\n`, 'latin1'));
    });
    gateway.service().answer = mutatedResponse((text) => text.toUpperCase());
    const { raw, body } = await rawExchange(gateway.address, lastRequest);
    expect(body).toBe('HELLO');
    expect(raw.endsWith('\r\n0\r\nX-Sum: 42\r\n\r\n')).toBe(true);
  });

  it('by a mutation of the request or of another chunk answers invalidly', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('secret'));
    const wrong = [
      { requestBodyMutation: { chunkIndex: 0, data: null } },
      { responseBodyMutation: { chunkIndex: 1, data: null } },
    ];
    for (const mutation of wrong) {
      gateway.service().answer = (event) =>
        event.kind === 'response_body_chunk' ? { ...allowAnswer, ...mutation } : wholeResponse(event);
      const { status, raw } = await rawExchange(gateway.address, lastRequest);
      expect(status).toBe(503);
      expect(raw).not.toContain('secret');
    }
  });
});

describe('a partial response', () => {
  const part = (body: Buffer | string, fields = ''): string =>
    `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`;

  it('is passed to the agent unchanged', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, part('hello'));
    gateway.service().answer = wholeResponse;
    expect(await askBoth(gateway)).toMatchObject({ status: 206, body: 'hello' });
    expect(textSeen(gateway.service())).toBe('hellohello');
  });

  it('cannot be inspected if encoded, which is not an upstream failure', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, part('hello', 'Content-Encoding: gzip\r\n'));
    expect((await rawExchange(gateway.address, lastRequest)).status).toBe(206);
    gateway.service().answer = wholeResponse;
    const { status, body } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'response_not_inspectable' });
    expect(gateway.service().cancels).toMatchObject([{ reason: 'manual' }]);
    expect(gateway.accessRecords.at(-1)?.errorType).toBe('response_not_inspectable');
    expect(await failuresOf(gateway)).toBe(0);
  });

  it('is not forwarded if changed', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, part('hello'));
    gateway.service().answer = mutatedResponse((text) => text.toUpperCase());
    const { status, raw } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(502);
    expect(raw).toContain('response_not_inspectable');
    expect(raw.toLowerCase()).not.toContain('hello');
    expect(await failuresOf(gateway)).toBe(0);
  });
});

describe('a response with a content coding', () => {
  const text = 'a text that is worth it, '.repeat(20);
  const gzip = gzipSync(text);

  it('is decoded for the agent, and forwarded unchanged', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength(gzip, 'Content-Encoding: gzip\r\n'));
    gateway.service().answer = wholeResponse;
    const { body, headers } = await rawExchange(gateway.address, lastRequest);
    expect(textSeen(gateway.service())).toBe(text);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(gzip.length) });
    expect(Buffer.from(body, 'latin1').equals(gzip)).toBe(true);
  });

  it('is forwarded decoded if the agent changes it', async ({ cleanUp }) => {
    const twice = brotliCompressSync(gzip);
    const gateway = await startWith(cleanUp, withLength(twice, 'Content-Encoding: gzip, br\r\n'));
    gateway.service().answer = mutatedResponse((seen) => seen.toUpperCase());
    const { status, body, headers } = await askBoth(gateway);
    expect(status).toBe(200);
    expect(body).toBe(text.toUpperCase());
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.for([
    ['that is not known', 'zstd', gzip, 'response_not_inspectable', 0],
    ['that it does not have', 'gzip', Buffer.from(text), 'upstream_invalid_response', 1],
    ['that ends early', 'gzip', gzip.subarray(0, -4), 'upstream_invalid_response', 1],
  ] as const)('%s becomes 502, and the agent call ends', async ([_, coding, body, code, failures], { cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength(body, `Content-Encoding: ${coding}\r\n`));
    const service = gateway.service();
    service.answer = wholeResponse;
    const exchange = await rawExchange(gateway.address, lastRequest);
    expect(exchange.status).toBe(502);
    expect(JSON.parse(exchange.body)).toMatchObject({ code });
    expect(service.cancels).toHaveLength(1);
    expect(await failuresOf(gateway)).toBe(failures);
  });

  it('of an unknown kind is forwarded if no agent reads it', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength(gzip, 'Content-Encoding: zstd\r\n'));
    expect((await rawExchange(gateway.address, lastRequest)).headers['content-encoding']).toBe('zstd');
  });

  it.for([
    ['gzip, deflate, br, zstd', 'gzip, deflate, br'],
    ['zstd', 'identity'],
    [null, 'identity'],
    ['GZIP;q=0.5', 'GZIP;q=0.5'],
  ] as const)(
    'is negotiated to supported codings if an agent can read it: %j',
    async ([accepted, offered], { cleanUp }) => {
      const heads: string[] = [];
      const gateway = await startWith(cleanUp, (socket, head) => {
        heads.push(head);
        socket.write(withLength('hello'));
      });
      // What an agent makes of it is held to the same.
      gateway.service().answer = (event) =>
        event.kind !== 'request_headers' || accepted === null
          ? allowAnswer
          : { ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'accept-encoding', value: accepted }] };
      await rawExchange(gateway.address, lastRequest);
      expect(heads[0]?.match(/^accept-encoding: .*$/gim)).toHaveLength(1);
      expect(heads[0]?.toLowerCase()).toContain(`accept-encoding: ${offered.toLowerCase()}`);
    },
  );

  it('is negotiated between client and upstream if no agent reads it', async ({ cleanUp }) => {
    const heads: string[] = [];
    const gateway = await startWith(
      cleanUp,
      (socket, head) => {
        heads.push(head);
        socket.write(withLength('hello'));
      },
      { agents: [{ name: 'judge', events: ['request_headers', 'response_headers'] }] },
    );
    await rawExchange(gateway.address, lastRequest);
    const named = lastRequest.replace('\r\n\r\n', '\r\nAccept-Encoding: zstd\r\n\r\n');
    await rawExchange(gateway.address, named);
    expect(heads[0]?.toLowerCase()).not.toContain('accept-encoding');
    expect(heads[1]).toContain('Accept-Encoding: zstd');
  });

  it.for([
    ['size', { maxDecompressedSizeBytes: 10_000 }],
    ['ratio', { maxDecompressionRatio: 10 }],
  ] as const)('that is a bomb by its %s becomes 502', async ([_, limits], { cleanUp }) => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const gateway = await startWith(cleanUp, withLength(bomb, 'Content-Encoding: gzip\r\n'), { limits });
    gateway.service().answer = wholeResponse;
    const { status, body } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'response_too_large' });
  });

  it('that is a bomb after a changed part is truncated and reported', async ({ cleanUp }) => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, 'a'));
    const limits = { maxDecompressedSizeBytes: 200_000, maxDecompressionRatio: 100_000 };
    const gateway = await startWith(cleanUp, withLength(bomb, 'Content-Encoding: gzip\r\n'), { limits });
    gateway.service().answer = (event) =>
      event.kind === 'response_body_chunk'
        ? { ...allowAnswer, responseBodyMutation: { chunkIndex: 0, data: Buffer.from('new') } }
        : wholeResponse(event);
    const { status, raw } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(200);
    expect(raw).toContain('new');
    expect(raw.length).toBeLessThan(210_000);
    expect(raw.endsWith('0\r\n\r\n')).toBe(false);
    await eventually(() => gateway.accessRecords.length === 1);
    expect(gateway.accessRecords[0]?.errorType).toBe('response_too_large');
  });

  it('is not decoded if the agent wants no body', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('no zstd', 'Content-Encoding: zstd\r\n'));
    expect((await rawExchange(gateway.address, lastRequest)).body).toBe('no zstd');
  });
});

describe('a response above the inspection limit', () => {
  const limits = { maxBodyInspectionBytes: 1_000 };

  it.for([
    ['by its Content-Length', (body: string) => withLength(body)],
    ['chunked', (body: string) => chunked([body.slice(0, 600), body.slice(600)])],
  ] as const)('becomes 502 %s, and one octet less passes', async ([_, message], { cleanUp }) => {
    let size = 1_000;
    const gateway = await startWith(cleanUp, (socket) => socket.write(message('s'.repeat(size))), { limits });
    gateway.service().answer = wholeResponse;
    const fitting = await rawExchange(gateway.address, lastRequest);
    expect([fitting.status, fitting.body.length]).toEqual([200, 1_000]);
    size = 1_001;
    const { status, body } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'response_too_large' });
    expect(gateway.service().cancels).toHaveLength(1);
  });

  it('passes if no agent inspects it', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('s'.repeat(5_000)), { limits });
    expect((await rawExchange(gateway.address, lastRequest)).body).toHaveLength(5_000);
  });

  it('becomes 502 even with failure mode open, because it is no agent failure', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength('s'.repeat(5_000)), {
      limits,
      agents: [{ name: 'judge', failureMode: 'open' }],
    });
    gateway.service().answer = wholeResponse;
    expect((await rawExchange(gateway.address, lastRequest)).status).toBe(502);
  });
});

describe('an upstream that fails while an agent inspects its response', () => {
  it('within the body causes 502 without a part of it', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', () => setImmediate(() => socket.end()));
    });
    const service = gateway.service();
    service.answer = wholeResponse;
    const { status, body } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'upstream_unreachable' });
    expect(body).not.toContain('hello');
    expect(service.cancels).toMatchObject([{ reason: 'upstream_error' }]);
    expect(await gateway.metrics()).toMatch(/gateway_upstream_failures_total\{[^}]*\} 1/);
  });

  it('by a malformed chunk causes 502', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', () =>
        setImmediate(() => socket.write('zz\r\n')),
      );
    });
    gateway.service().answer = wholeResponse;
    const { status, body } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'upstream_invalid_response' });
  });

  it('by a stall causes 504', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', { readMs: 100 });
    gateway.service().answer = wholeResponse;
    const { status, body } = await rawExchange(gateway.address, lastRequest);
    expect(status).toBe(504);
    expect(JSON.parse(body)).toMatchObject({ code: 'upstream_timeout' });
  });
});

describe('an agent that fails within a body', () => {
  const failsAt = (index: number) => (event: AgentEvent) => {
    if (event.kind !== 'response_body_chunk') return wholeResponse(event);
    if (event.chunkIndex === index) return new Promise<never>(() => undefined);
    const responseBodyMutation = { chunkIndex: event.chunkIndex, data: Buffer.from('lost') };
    return { ...wholeResponse(event), responseBodyMutation };
  };
  const body = `${'a'.repeat(65_536)}${'b'.repeat(65_536)}${'c'.repeat(10)}`;

  it('blocks the response', async ({ cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength(body), { agents: [{ name: 'judge', timeoutMs: 100 }] });
    gateway.service().answer = failsAt(1);
    expect((await rawExchange(gateway.address, lastRequest)).status).toBe(504);
  });

  it.for([0, 1])('is skipped with its changes under failure mode open: chunk %i', async (index, { cleanUp }) => {
    const gateway = await startWith(cleanUp, withLength(body), {
      agents: [{ name: 'judge', timeoutMs: 100, failureMode: 'open' }],
    });
    gateway.service().answer = failsAt(index);
    const answer = await askBoth(gateway);
    expect(answer.status).toBe(200);
    expect(answer.body === body).toBe(true);
  });

  it('leaves an encoded body unchanged', async ({ cleanUp }) => {
    const gzip = gzipSync(body);
    const gateway = await startWith(cleanUp, withLength(gzip, 'Content-Encoding: gzip\r\n'), {
      agents: [{ name: 'judge', timeoutMs: 100, failureMode: 'open' }],
      limits: { maxDecompressionRatio: 10_000 },
    });
    gateway.service().answer = failsAt(1);
    const response = await fetch(gateway.url);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect((await response.text()) === body).toBe(true);
  });
});
