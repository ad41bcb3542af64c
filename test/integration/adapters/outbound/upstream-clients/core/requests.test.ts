import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { BodyReadError, type BodySource } from '../../../../../../src/application/ports/gateway/body-source.js';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** An upstream that answers when what has come on a connection ends like this, and keeps all that came. */
const startRecording = async (
  cleanUp: CleanUp,
  end: string,
  answer = ok,
  changes: Parameters<typeof targetClient>[2] = {},
) => {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const turn = received.push('') - 1;
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      received[turn] += text;
      if (received[turn]?.endsWith(end)) socket.write(answer, 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  const client = targetClient((server.address() as AddressInfo).port, cleanUp, changes);
  return { received, sockets, client };
};

const post = plainUpstreamRequest;

describe('a request is sent', () => {
  const cases: readonly (readonly [string, Partial<UpstreamRequest>, string])[] = [
    ['without a body', { method: 'GET' }, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['as a POST without a body', {}, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
    [
      'without a length of nothing',
      { method: 'GET', headers: ['Host', 'a', 'Content-Length', '0'] },
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    [
      'without a length of no body',
      { method: 'GET', headers: ['Host', 'a', 'content-length', '5'] },
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    [
      'with a body in one piece',
      { body: new ScriptedBody(['hello'], 5) },
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    ],
    [
      'with TE as a field of the connection',
      { method: 'GET', headers: ['Host', 'a', 'TE', 'trailers'] },
      'GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n',
    ],
    [
      'with a length as it is counted',
      { headers: ['Host', 'a', 'Content-Length', '005'], body: new ScriptedBody(['hello'], 5) },
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    ],
    [
      'with a body of a length in pieces',
      { headers: ['Host', 'a', 'Content-Length', '5'], body: new ScriptedBody(['he', '', 'llo'], 5) },
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    ],
    [
      'with a body in chunks, none of them empty',
      { body: new ScriptedBody(['he', '', 'llo world']) },
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n9\r\nllo world\r\n0\r\n\r\n',
    ],
    [
      'with a large chunk',
      { body: new ScriptedBody(['x'.repeat(70_000)]) },
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`,
    ],
    [
      'with a large body in one piece',
      { body: new ScriptedBody([`${'x'.repeat(70_000)}y`], 70_001) },
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 70001\r\n\r\n${'x'.repeat(70_000)}y`,
    ],
    [
      'with octets beyond ASCII as they are',
      { method: 'GET', headers: ['Host', 'a', 'X-A', '\xe9\xff'] },
      'GET / HTTP/1.1\r\nHost: a\r\nX-A: \xe9\xff\r\n\r\n',
    ],
  ];

  it.for(cases)('with the expected octets: %s', async ([_, changes, expected], { cleanUp }) => {
    const { received, client } = await startRecording(cleanUp, expected.slice(-9));
    for (let turn = 1; turn <= 2; turn += 1) {
      const { body } = changes;
      // A body can be read once.
      const again = body instanceof ScriptedBody ? { body: await copyOf(body) } : {};
      expect(await client.send({ ...post, ...changes, ...again }).response).toMatchObject({ ok: true });
      // Compared so that a failure does not print all of it.
      expect([received.length, received[0]?.length]).toEqual([1, expected.length * turn]);
      expect(received[0] === expected.repeat(turn)).toBe(true);
    }
  });

  const pieces = new Map<ScriptedBody, Uint8Array[]>();
  const copyOf = async (body: ScriptedBody): Promise<ScriptedBody> => {
    const known = pieces.get(body) ?? [];
    if (known.length === 0) for (let piece = await body.read(); piece; piece = await body.read()) known.push(piece);
    pieces.set(body, known);
    return new ScriptedBody(known, body.declaredLength);
  };
});

describe('a request is refused before it begins', () => {
  it.for<[string, Partial<UpstreamRequest>]>([
    ['a method that is none', { method: 'GE T' }],
    ['a target with a space', { target: '/a b' }],
    ['a target of another form', { target: 'http://a/' }],
    ['a Transfer-Encoding', { headers: ['Host', 'a', 'Transfer-Encoding', 'chunked'] }],
    ['a Connection', { headers: ['Host', 'a', 'connection', 'X-A'] }],
    ['an Upgrade', { headers: ['Host', 'a', 'Upgrade', 'h2c'] }],
    ['two lengths', { headers: ['Host', 'a', 'Content-Length', '0', 'content-length', '0'] }],
    ['a length that is none', { headers: ['Host', 'a', 'Content-Length', '1e1'], body: new ScriptedBody(['x'], 1) }],
    [
      'a body of another length',
      { headers: ['Host', 'a', 'Content-Length', '4'], body: new ScriptedBody(['hello'], 5) },
    ],
    ['a field name with a space', { headers: ['Host', 'a', 'X A', 'b'] }],
    ['a character beyond an octet', { headers: ['Host', 'a', 'X-A', '\u010d\u010a'] }],
  ])('with %s', async ([_, changes], { cleanUp }) => {
    const { received, client } = await startRecording(cleanUp, '\r\n\r\n');
    expect(await client.send({ ...post, ...changes }).response).toMatchObject({
      ok: false,
      error: { code: 'refused_request', neverSent: true },
    });
    expect([received, client.isFull]).toEqual([[], false]);
  });
});

describe('a request with an invalid body', () => {
  it.for<[string, string, BodySource]>([
    ['shorter', 'refused_request', new ScriptedBody(['he', 'l'], 5)],
    ['longer', 'refused_request', new ScriptedBody(['he', 'llo', ' world'], 5)],
    ['broken off', 'request_body', new ScriptedBody(['he', null], 5)],
  ])('that is %s fails, and its connection is closed', async ([_, code, body], { cleanUp }) => {
    const { client, sockets, received } = await startRecording(cleanUp, 'never');
    const headers = ['Host', 'a', 'Content-Length', '5'];
    const outcome = await client.send({ ...post, headers, body }).response;
    expect(outcome).toMatchObject({ ok: false, error: { code, neverSent: false } });
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(received[0]).not.toContain('hello world');
    expect(client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 0 });
  });

  it('fails before it is sent if its first octet is missing', async ({ cleanUp }) => {
    const { client, received } = await startRecording(cleanUp, 'never');
    const body = new ScriptedBody([null], 5);
    expect(await client.send({ ...post, body }).response).toMatchObject({ error: { code: 'request_body' } });
    expect(received).toEqual([]);
  });

  it('aborts a response that has begun', async ({ cleanUp }) => {
    let breakOff: (error: Error) => void = () => undefined;
    const rest = new Promise<null>((_, reject) => {
      breakOff = reject;
    });
    let reads = 0;
    const body: BodySource = {
      declaredLength: null,
      read: () => {
        reads += 1;
        return reads === 1 ? Buffer.from('first') : rest;
      },
      trailers: () => [],
      cancel: () => undefined,
    };
    const { client } = await startRecording(cleanUp, 'first\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok');
    const outcome = await client.send({ ...post, body }).response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    breakOff(new BodyReadError('aborted', 'the client is gone'));
    await expect(bodyOctets(outcome.value.body)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a body that its upstream does not read', () => {
  it('is read only up to socket buffers, and fails after the stall timeout', async ({ cleanUp }) => {
    let reads = 0;
    const body: BodySource = {
      declaredLength: null,
      read: () => {
        reads += 1;
        return Buffer.alloc(100_000);
      },
      trailers: () => [],
      cancel: () => undefined,
    };
    const sockets: Socket[] = [];
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        }),
    );
    const client = targetClient((server.address() as AddressInfo).port, cleanUp, { readMs: 100 });
    const outcome = await client.send({ ...post, body }).response;
    expect(outcome).toMatchObject({
      error: { code: 'timed_out', neverSent: false, detail: 'nothing more of the request was taken within 100 ms' },
    });
    expect(reads).toBeLessThan(200);
  });
});

describe('a WebSocket request', () => {
  const upgrade: UpstreamRequest = { ...post, method: 'GET', upgradeToWebSocket: true };
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

  it('upgrades, and keeps octets that arrive with the response', async ({ cleanUp }) => {
    const { client, received } = await startRecording(cleanUp, '\r\n\r\n', `${switched}first`);
    const outcome = await client.send(upgrade).response;
    if (!outcome.ok || outcome.value.tunnel === null) throw new Error('no tunnel');
    expect(received).toEqual(['GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n']);
    for await (const octets of outcome.value.tunnel.iterator({ destroyOnReturn: false })) {
      expect(Buffer.from(octets).toString()).toBe('first');
      break;
    }
    expect(client.figures().activeConnections).toBe(1);
    outcome.value.tunnel.destroy();
    await expect.poll(() => client.figures().activeConnections).toBe(0);
  });

  it('with another response gets it, and keeps the connection', async ({ cleanUp }) => {
    const { client, received } = await startRecording(
      cleanUp,
      '\r\n\r\n',
      'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno',
    );
    const outcome = await client.send(upgrade).response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    expect([outcome.value.status, (await bodyOctets(outcome.value.body)).toString()]).toEqual([403, 'no']);
    expect(await client.send({ ...post, method: 'GET' }).response).toMatchObject({ ok: true, value: { status: 403 } });
    expect(received).toHaveLength(1);
  });

  it('does not replace a kept connection beyond the limit of its target', async ({ cleanUp }) => {
    const { client, received } = await startRecording(cleanUp, '\r\n\r\n', ok, { maxConnections: 1 });
    await client.send({ ...post, method: 'GET' }).response;
    expect(await client.send(upgrade).response).toMatchObject({ ok: true });
    expect([received.length, client.figures()]).toEqual([
      2,
      { activeConnections: 0, idleConnections: 1, waitingRequests: 0 },
    ]);
  });

  it.for([
    ['no Upgrade', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['no Connection', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'],
  ] as const)('with a 101 response with %s fails', async ([_, answer], { cleanUp }) => {
    const { client } = await startRecording(cleanUp, '\r\n\r\n', answer);
    expect(await client.send(upgrade).response).toMatchObject({ error: { code: 'invalid_response' } });
    expect(client.isFull).toBe(false);
  });
});
