import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { type RawAnswer, startRawUpstream } from '../../../../../support/gateway/raw-upstream.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import {
  type AwaitedClient,
  plainUpstreamRequest,
  targetClient,
} from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET' };

const startWith = async (cleanUp: CleanUp, answer: RawAnswer, changes: Parameters<typeof targetClient>[2] = {}) => {
  const upstream = await startRawUpstream(answer);
  cleanUp.add(() => upstream.close());
  return { upstream, client: targetClient(upstream.port, cleanUp, changes) };
};

const textFrom = async (client: AwaitedClient, request = get): Promise<string> => {
  const outcome = await client.send(request).response;
  if (!outcome.ok) throw new Error(outcome.error.detail);
  return (await bodyOctets(outcome.value.body)).toString();
};

describe('a used connection', () => {
  const kept: readonly (readonly [string, string, Partial<UpstreamRequest>])[] = [
    ['a length', ok, {}],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n', {}],
    ['no octets', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', {}],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', {}],
    ['a head alone', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', { method: 'HEAD' }],
    ['HTTP/1.0 that keeps it', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok', {}],
    ['interim responses before', `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${ok}`, {}],
    ['a time that is long enough', `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\nContent-Length: 2\r\n\r\nok`, {}],
  ];

  it.for(kept)('is reused after a response with %s', async ([_, answer, changes], { cleanUp }) => {
    const { upstream, client } = await startWith(cleanUp, (socket) => socket.write(answer));
    for (let turn = 0; turn < 3; turn += 1) await textFrom(client, { ...get, ...changes });
    expect([upstream.connections(), client.figures().idleConnections]).toEqual([1, 1]);
  });

  const spent: readonly (readonly [string, string, Partial<UpstreamRequest>])[] = [
    ['octets behind it', `${ok}x`, {}],
    ['a line end behind it', `${ok}\r\n`, {}],
    ['another answer behind it', `${ok}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`, {}],
    ['an end that is announced', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok', {}],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', {}],
    ['a body to HEAD', ok, { method: 'HEAD' }],
    ['a body to 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', {}],
    ['a body to 304', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nok', {}],
    [
      'trailers that frame',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
      {},
    ],
    [
      'a length in its trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nContent-Length: 3\r\n\r\n',
      {},
    ],
    [
      'octets behind its last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n',
      {},
    ],
    ['a time that is over', 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 2\r\n\r\nok', {}],
  ];

  it.for(spent)('is closed after a response with %s', async ([_, answer, changes], { cleanUp }) => {
    const { upstream, client } = await startWith(cleanUp, (socket) => socket.write(answer));
    const wanted = answer.includes('ok') && !/ (204|304) /.test(answer) && changes.method !== 'HEAD' ? 'ok' : '';
    for (let turn = 1; turn <= 3; turn += 1) {
      expect(await textFrom(client, { ...get, ...changes })).toBe(wanted);
      expect([upstream.connections(), client.figures().idleConnections]).toEqual([turn, 0]);
    }
  });

  it('is closed after a response to an incomplete request, and the rest is not sent', async ({ cleanUp }) => {
    const { upstream, client } = await startWith(cleanUp, (socket) => socket.write(ok));
    let isOver: (piece: null) => void = () => undefined;
    const source = new ScriptedBody(['first']);
    const body = {
      declaredLength: null,
      read: () =>
        source.reads === 0
          ? source.read()
          : new Promise<null>((resolve) => {
              isOver = resolve;
            }),
      trailers: () => [],
      cancel: () => undefined,
    };
    expect(await textFrom(client, { ...plainUpstreamRequest, body })).toBe('ok');
    expect(client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 0 });
    isOver(null);
    expect(await textFrom(client)).toBe('ok');
    expect(upstream.connections()).toBe(2);
  });

  it('is closed after a response before the upstream has the complete request', async ({ cleanUp }) => {
    const { upstream, client } = await startWith(cleanUp, (socket) => {
      socket.pause();
      socket.write(ok);
    });
    // More than the two systems hold, in one piece: nothing of it is left to be asked for.
    const octets = Buffer.alloc(32 * 1_048_576, 'b');
    const body = new ScriptedBody([octets], octets.length);
    expect(await textFrom(client, { ...plainUpstreamRequest, body })).toBe('ok');
    expect(client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 0 });
    expect(await textFrom(client)).toBe('ok');
    expect(upstream.connections()).toBe(2);
  });
});

describe('an idle connection', () => {
  it.for(['HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil', '\r\n', 'x'])(
    'that receives %j is closed, and no request gets these octets',
    async (unasked, { cleanUp }) => {
      const sockets: Socket[] = [];
      const { upstream, client } = await startWith(cleanUp, (socket) => {
        sockets.push(socket);
        socket.write(ok);
      });
      expect(await textFrom(client)).toBe('ok');
      expect(client.figures().idleConnections).toBe(1);
      sockets[0]?.write(unasked);
      await expect.poll(() => client.figures().idleConnections).toBe(0);
      await expect.poll(() => sockets[0]?.destroyed).toBe(true);
      expect(await textFrom(client)).toBe('ok');
      expect(upstream.connections()).toBe(2);
    },
  );

  it('is closed before the announced keep-alive timeout', async ({ cleanUp }) => {
    const { client } = await startWith(cleanUp, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=3, max=9\r\nContent-Length: 0\r\n\r\n'),
    );
    await textFrom(client);
    expect(client.figures().idleConnections).toBe(1);
    await expect.poll(() => client.figures().idleConnections).toBe(0);
  });
});

describe('a cancelled request', () => {
  it.for([
    ['before its answer', ''],
    ['in the midst of its head', 'HTTP/1.1 2'],
    ['in the midst of its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'],
    ['in the midst of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok'],
  ] as const)('%s closes its connection', async ([_, begin], { cleanUp }) => {
    const sockets: Socket[] = [];
    const { client } = await startWith(cleanUp, (socket) => {
      sockets.push(socket);
      socket.write(begin);
    });
    const exchange = client.send(get);
    await expect.poll(() => sockets.length).toBe(1);
    if (begin.includes('\r\n')) await exchange.response;
    exchange.cancel();
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    expect(client.figures()).toEqual({ activeConnections: 0, idleConnections: 0, waitingRequests: 0 });
  });
});
