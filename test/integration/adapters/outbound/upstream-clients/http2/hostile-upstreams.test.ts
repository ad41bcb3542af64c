import { describe, expect } from 'vitest';
import { startHttp2Upstream } from '../../../../../support/gateway/http2-upstream.js';
import {
  fieldBlock,
  frame,
  frameFlags,
  frameTypes,
  type Http2Frame,
  headers,
  number32,
  type RawHttp2Peer,
  settings,
  startRawHttp2Upstream,
} from '../../../../../support/gateway/raw-http2-upstream.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import {
  type AskedRequest,
  plainUpstreamRequest,
  targetClient,
} from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const http2 = { httpVersion: '2' } as const;
const get: AskedRequest = { ...plainUpstreamRequest, method: 'GET' };
const { endStream, endHeaders } = frameFlags;
const codes = { none: 0, protocol: 1, refused: 7, cancel: 8, calm: 11 } as const;
const initialWindowSize = 4;

const reset = (stream: number, code: number): Buffer => frame(frameTypes.resetStream, 0, stream, number32(code));
const goaway = (lastStream: number, code: number): Buffer => frame(frameTypes.goaway, 0, 0, number32(lastStream, code));
const data = (stream: number, text: string, flags = 0): Buffer =>
  frame(frameTypes.data, flags, stream, Buffer.from(text));
const ok = (stream: number, flags: number = endHeaders): Buffer => headers(stream, [[':status', '200']], flags);

/** An upstream that does this on each request. */
const startAnswering = (cleanUp: CleanUp, answer: (stream: number, peer: RawHttp2Peer, turn: number) => void) => {
  let turn = 0;
  return startRawHttp2Upstream(cleanUp, ({ type, stream }: Http2Frame, peer) => {
    if (type !== frameTypes.headers) return;
    answer(stream, peer, turn);
    turn += 1;
  });
};

const clientOf = async (
  cleanUp: CleanUp,
  answer: (stream: number, peer: RawHttp2Peer, turn: number) => void,
  changes = {},
) => {
  const upstream = await startAnswering(cleanUp, answer);
  return { upstream, client: targetClient(upstream.port, cleanUp, { ...http2, ...changes }) };
};

/**
 * What the request came to, its body read to the end. `onHead` runs when the head has come, before the body is read.
 */
const outcomeOf = async (
  client: ReturnType<typeof targetClient>,
  request = get,
  onHead: () => void = () => undefined,
): Promise<string> => {
  const outcome = await client.send(request).response;
  if (!outcome.ok) return `${outcome.error.code}${outcome.error.neverSent ? ', never sent' : ''}`;
  onHead();
  try {
    return `${outcome.value.status} ${(await bodyOctets(outcome.value.body)).toString()}`;
  } catch (error) {
    return `${outcome.value.status}, broken: ${(error as { code: string }).code}`;
  }
};

describe('a response that is reset', () => {
  it.for([
    [codes.none, 'unreachable'],
    [codes.cancel, 'unreachable'],
    [codes.protocol, 'invalid_response'],
    [codes.calm, 'invalid_response'],
    [0xdead, 'unreachable'],
  ] as const)('with code %i before its head fails', async ([code, failure], { cleanUp }) => {
    const { client } = await clientOf(cleanUp, (stream, peer) => peer.write(reset(stream, code)));
    expect(await outcomeOf(client)).toBe(failure);
  });

  it.for([codes.none, codes.cancel])('with code %i right after its head fails', async (code, { cleanUp }) => {
    const { client } = await clientOf(cleanUp, (stream, peer) => peer.write(ok(stream), reset(stream, code)));
    expect(await outcomeOf(client)).toBe('unreachable');
  });

  it.for([
    [codes.none, 'aborted'],
    [codes.cancel, 'aborted'],
    [codes.protocol, 'malformed'],
  ] as const)('with code %i within its body is not complete', async ([code, reason], { cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(ok(stream), data(stream, 'some')),
    );
    const breakOff = () => upstream.peers[0]?.write(reset(1, code));
    expect(await outcomeOf(client, get, breakOff)).toBe(`200, broken: ${reason}`);
  });

  it.for([codes.none, codes.cancel, codes.protocol])(
    'with code %i after its end is complete',
    async (code, { cleanUp }) => {
      const { client } = await clientOf(cleanUp, (stream, peer) =>
        peer.write(ok(stream), data(stream, 'all', endStream), reset(stream, code)),
      );
      const body = Object.assign(new ScriptedBody([]), { read: () => new Promise<null>(() => undefined) });
      expect(await outcomeOf(client, { ...plainUpstreamRequest, body })).toBe('200 all');
      expect(await outcomeOf(client)).toBe('200 all');
    },
  );

  it('keeps its session for others', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer, turn) =>
      peer.write(turn === 0 ? reset(stream, codes.cancel) : ok(stream, endHeaders + endStream)),
    );
    expect(await outcomeOf(client)).toBe('unreachable');
    expect(await outcomeOf(client)).toBe('200 ');
    expect(upstream.peers).toHaveLength(1);
  });
});

describe('an unprocessed request', () => {
  it.for([
    ['refused', (stream: number, peer: RawHttp2Peer) => peer.write(reset(stream, codes.refused))],
    ['beyond a GOAWAY', (_: number, peer: RawHttp2Peer) => peer.write(goaway(0, codes.none))],
    ['beyond a GOAWAY for a fault', (_: number, peer: RawHttp2Peer) => peer.write(goaway(0, codes.calm))],
  ] as const)(
    '(%s) is sent again on another session with its body, not counted as a retry',
    async ([_, refuse], { cleanUp }) => {
      let refused = -1;
      const bodies: string[] = [];
      const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream, payload, flags }, peer) => {
        const key = peer.index * 1_000 + stream;
        if (type === frameTypes.headers && refused < 0) {
          refused = key;
          refuse(stream, peer);
        }
        if (key === refused || type !== frameTypes.data) return;
        bodies.push(payload.toString());
        if (flags % 2 === 1) peer.write(ok(stream, endHeaders + endStream));
      });
      let asked = 0;
      const takeRetry = (): boolean => {
        asked += 1;
        return true;
      };
      const post: AskedRequest = { ...plainUpstreamRequest, body: new ScriptedBody(['one', 'two']), takeRetry };
      expect(await outcomeOf(targetClient(upstream.port, cleanUp, http2), post)).toBe('200 ');
      expect([asked, bodies.join(''), upstream.peers.length]).toEqual([0, 'onetwo', 2]);
    },
  );

  it('is sent again until it times out, and was then never sent', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) => peer.write(reset(stream, codes.refused)));
    expect(await outcomeOf(client, { ...get, timeoutMs: 300 })).toBe('unreachable, never sent');
    const sent = upstream.peers.reduce((sum, peer) => sum + peer.of(frameTypes.headers).length, 0);
    // 0, 5, 10, 20, 40, 80: the next wait would end behind the time-out.
    expect(sent).toBeGreaterThan(2);
    expect(sent).toBeLessThanOrEqual(8);
  });

  it('is not sent again once cancelled', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) => peer.write(reset(stream, codes.refused)));
    const sent = () => upstream.peers.reduce((sum, peer) => sum + peer.of(frameTypes.headers).length, 0);
    const exchange = client.send({ ...get, timeoutMs: 60_000 });
    await eventually(() => sent() > 2);
    exchange.cancel();
    expect(await exchange.response).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    const before = sent();
    await client.close(0);
    expect(sent() - before).toBeLessThanOrEqual(1);
  });

  it('is not sent again without its body', async ({ cleanUp }) => {
    let octets = 0;
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream, payload }, peer) => {
      if (type !== frameTypes.data) return;
      octets += payload.length;
      const credit = number32(payload.length);
      peer.write(frame(frameTypes.windowUpdate, 0, 0, credit), frame(frameTypes.windowUpdate, 0, stream, credit));
      if (octets > 100_000) peer.write(reset(stream, codes.refused));
    });
    const body = new ScriptedBody(new Array<string>(20).fill('x'.repeat(10_000)));
    const outcome = await outcomeOf(targetClient(upstream.port, cleanUp, http2), { ...plainUpstreamRequest, body });
    expect([outcome, upstream.peers.length]).toEqual(['unreachable, never sent', 1]);
  });
});

describe('a session that ends', () => {
  it('by GOAWAY finishes requests in flight, and others use another session', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer, turn) => {
      if (turn > 0) {
        peer.write(ok(stream, endHeaders + endStream));
        return;
      }
      peer.write(goaway(stream, codes.none), ok(stream), data(stream, 'some'));
    });
    let first: Promise<string> = Promise.resolve('');
    await new Promise<void>((resolve) => {
      first = outcomeOf(client, get, resolve);
    });
    expect(client.figures().activeConnections).toBe(1);
    expect(await outcomeOf(client)).toBe('200 ');
    upstream.peers[0]?.write(data(1, ' more', endStream));
    expect(await first).toBe('200 some more');
    expect(upstream.peers).toHaveLength(2);
    await eventually(() => upstream.peers[0]?.socket.closed === true);
  });

  it.for(['closes', 'is reset'])(
    'during a request because its connection %s makes the target unreachable',
    async (how, { cleanUp }) => {
      const { client } = await clientOf(
        cleanUp,
        (_, { socket }) => void (how === 'closes' ? socket.end() : socket.resetAndDestroy()),
      );
      expect(await outcomeOf(client)).toBe('unreachable');
    },
  );

  it.for(['closes', 'is reset'])(
    'within a body because its connection %s truncates the body',
    async (how, { cleanUp }) => {
      const { client, upstream } = await clientOf(cleanUp, (stream, peer) =>
        peer.write(ok(stream), data(stream, 'some')),
      );
      const breakOff = () => {
        const { socket } = upstream.peers[0] as RawHttp2Peer;
        if (how === 'closes') socket.end();
        else socket.resetAndDestroy();
      };
      expect(await outcomeOf(client, get, breakOff)).toBe('200, broken: aborted');
    },
  );

  it.for([
    [true, '200 ', 1, 3],
    [false, 'unreachable', 1, 2],
  ] as const)(
    'as a safe request is sent, after earlier use: sent once more if allowed (%s)',
    async ([may, end, asked, sent], { cleanUp }) => {
      const { client, upstream } = await clientOf(cleanUp, (stream, peer, turn) => {
        if (turn === 1) peer.socket.destroy();
        else peer.write(ok(stream, endHeaders + endStream));
      });
      let times = 0;
      const takeRetry = (): boolean => {
        times += 1;
        return may;
      };
      expect(await outcomeOf(client, { ...get, takeRetry })).toBe('200 ');
      expect(times).toBe(0);
      expect(await outcomeOf(client, { ...get, takeRetry })).toBe(end);
      expect(times).toBe(asked);
      expect(upstream.peers.flatMap((peer) => peer.of(frameTypes.headers))).toHaveLength(sent);
    },
  );

  it('as another request is sent: not sent again', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer, turn) => {
      if (turn === 1) peer.socket.destroy();
      else peer.write(ok(stream, endHeaders + endStream));
    });
    await outcomeOf(client);
    expect(await outcomeOf(client, { ...plainUpstreamRequest, takeRetry: () => true })).toBe('unreachable');
    expect(upstream.peers).toHaveLength(1);
  });

  it('on every request causes at most twice the allowed connections', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) => peer.write(goaway(stream, codes.none)), {
      maxConnections: 3,
    });
    for (let sent = 0; sent < 20; sent += 1) client.send(get);
    for (let round = 0; round < 40; round += 1) {
      client.send(get);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(upstream.peers.filter(({ socket }) => !socket.closed).length).toBeLessThanOrEqual(7);
  });
});

describe('a malformed response', () => {
  const status = [':status', '200'] as const;

  it.for([
    ['no status', [['x-a', 'b']]],
    ['a status that is none', [[':status', 'abc']]],
    ['a status of two digits', [[':status', '20']]],
    ['two statuses', [status, status]],
    ['a pseudo-header of requests', [status, [':path', '/']]],
    ['a pseudo-header behind a field', [['x-a', 'b'], status]],
    ['a name in upper case', [status, ['X-A', 'b']]],
    ['Connection', [status, ['connection', 'close']]],
    ['Transfer-Encoding', [status, ['transfer-encoding', 'chunked']]],
    ['Keep-Alive', [status, ['keep-alive', 'timeout=5']]],
    ['Upgrade', [status, ['upgrade', 'h2c']]],
    ['two lengths', [status, ['content-length', '1'], ['content-length', '1']]],
    ['a length that is no number', [status, ['content-length', '+1']]],
    ['a switch of protocols', [[':status', '101']]],
    ['an interim response for an end', [[':status', '103']]],
  ] as const)('by %s fails', async ([_, fields], { cleanUp }) => {
    const { client } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(frame(frameTypes.headers, endHeaders + endStream, stream, fieldBlock(...fields))),
    );
    expect(await outcomeOf(client)).toBe('invalid_response');
  });

  it.for([
    ['a name with a line end', ['x-a\r\nx-b', 'c']],
    ['a name with a colon', ['x:a', 'c']],
    ['a name with NUL', ['x\0a', 'c']],
    ['an empty name', ['', 'c']],
    ['a value with a line end', ['x-a', 'b\r\nx-c: d']],
    ['a value with NUL', ['x-a', 'b\0c']],
  ] as const)('by %s loses only that field', async ([_, field], { cleanUp }) => {
    const { client } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(headers(stream, [status, field, ['x-last', 'a']], endHeaders + endStream)),
    );
    const outcome = await client.send(get).response;
    expect(outcome).toMatchObject({ value: { status: 200, headers: ['x-last', 'a'] } });
  });

  it.for([
    ['less', 'abc'],
    ['more', 'abcdef'],
  ] as const)('by a body with %s than its length is truncated', async ([_, text], { cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(headers(stream, [status, ['content-length', '4']])),
    );
    const sendBody = () => upstream.peers[0]?.write(data(1, text, endStream));
    expect(await outcomeOf(client, get, sendBody)).toBe('200, broken: malformed');
  });

  it('by a body to HEAD keeps the head', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) => peer.write(ok(stream)));
    const sendBody = () => upstream.peers[0]?.write(data(1, 'body'));
    expect(await outcomeOf(client, { ...get, method: 'HEAD' }, sendBody)).toBe('200 ');
    await eventually(() => client.figures().activeConnections === 0);
  });

  it('by hop-by-hop trailers is truncated', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(ok(stream), data(stream, 'some')),
    );
    const sendTrailers = () => upstream.peers[0]?.write(headers(1, [['connection', 'close']], endHeaders + endStream));
    expect(await outcomeOf(client, get, sendTrailers)).toBe('200, broken: malformed');
  });

  it.for([
    // It is a stream as any, as long as the upstream has not seen the settings that forbid it.
    ['a push', 'timed_out', (stream: number) => frame(frameTypes.pushPromise, endHeaders, stream, number32(2))],
    ['octets that are no frames', 'invalid_response', () => Buffer.alloc(200, 255)],
    [
      'a frame that is too large',
      'invalid_response',
      (stream: number) => frame(frameTypes.data, 0, stream, Buffer.alloc(20_000)),
    ],
    [
      'an index of no field',
      'invalid_response',
      (stream: number) => frame(frameTypes.headers, endHeaders, stream, Buffer.of(255, 255, 127)),
    ],
    ['DATA of no stream', 'invalid_response', () => frame(frameTypes.data, 0, 0)],
  ] as const)('by %s fails, and ends its session', async ([_, outcome, make], { cleanUp }) => {
    const { client, upstream } = await clientOf(
      cleanUp,
      (stream, peer, turn) => peer.write(turn === 0 ? make(stream) : ok(stream, endHeaders + endStream)),
      outcome === 'timed_out' ? { readMs: 100 } : {},
    );
    const request = outcome === 'timed_out' ? { ...get, timeoutMs: 200, configuredTimeoutMs: 200 } : get;
    expect(await outcomeOf(client, request)).toBe(outcome);
    expect(await outcomeOf(client)).toBe('200 ');
    expect(upstream.peers).toHaveLength(2);
    await eventually(() => upstream.peers[0]?.socket.closed === true);
  });
});

it.for([
  ['DATA of no stream', () => frame(frameTypes.data, 0, 0)],
  ['a CONTINUATION of nothing', () => frame(frameTypes.continuation, endHeaders, 1)],
  ['more of a window than there can be', () => frame(frameTypes.windowUpdate, 0, 0, number32(0x7fffffff))],
] as const)(
  'a request is not sent again after octets that are not HTTP/2 on a used session: %s',
  async ([_, make], { cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer, turn) =>
      peer.write(turn === 0 ? ok(stream, endHeaders + endStream) : make()),
    );
    expect(await outcomeOf(client)).toBe('200 ');
    expect(await outcomeOf(client, { ...get, takeRetry: () => true })).toBe('invalid_response');
    expect(upstream.peers.flatMap((peer) => peer.of(frameTypes.headers))).toHaveLength(2);
  },
);

describe('a flood', () => {
  it('of fields over 65 536 octets fails', async ({ cleanUp }) => {
    const fields = Array.from({ length: 80 }, (_, index) => [`x-${index}`, 'a'.repeat(1_000)] as const);
    const { client } = await clientOf(cleanUp, (stream, peer) => {
      const block = fieldBlock([':status', '200'], ...fields);
      const parts = [0, 1, 2, 3, 4, 5].map((part) => block.subarray(part * 16_000, (part + 1) * 16_000));
      peer.write(
        ...parts.map((part, index) =>
          frame(index === 0 ? frameTypes.headers : frameTypes.continuation, index === 5 ? endHeaders : 0, stream, part),
        ),
      );
    });
    expect(await outcomeOf(client)).toBe('invalid_response');
  });

  it('of tiny fields fails', async ({ cleanUp }) => {
    const fields = Array.from({ length: 3_000 }, () => ['a', ''] as const);
    const { client } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(headers(stream, [[':status', '200'], ...fields])),
    );
    expect(await outcomeOf(client)).toBe('invalid_response');
  });

  it('of endless CONTINUATION frames ends its session', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(cleanUp, (stream, peer) => {
      peer.write(frame(frameTypes.headers, 0, stream, fieldBlock([':status', '200'])));
      const part = frame(frameTypes.continuation, 0, stream, fieldBlock(['x-a', 'a'.repeat(10_000)]));
      const flood = setInterval(() => {
        if (peer.socket.closed) clearInterval(flood);
        else peer.write(part, part, part, part);
      }, 1);
      cleanUp.add(() => clearInterval(flood));
    });
    expect(await outcomeOf(client)).toBe('invalid_response');
    await eventually(() => upstream.peers[0]?.socket.closed === true);
  });

  it('of interim responses fails', async ({ cleanUp }) => {
    const { client } = await clientOf(cleanUp, (stream, peer) =>
      peer.write(...Array.from({ length: 101 }, () => headers(stream, [[':status', '103']]))),
    );
    expect(await outcomeOf(client)).toBe('invalid_response');
  });

  it('of settings or pings ends only its session', async ({ cleanUp }) => {
    const ping = frame(frameTypes.ping, 0, 0, Buffer.alloc(8));
    for (const each of [settings([initialWindowSize, 65_535]), ping]) {
      const { client } = await clientOf(cleanUp, (stream, peer, turn) => {
        if (turn === 0) peer.write(...Array.from({ length: 20_000 }, () => each));
        peer.write(ok(stream, endHeaders + endStream));
      });
      expect(['200 ', 'invalid_response', 'unreachable']).toContain(await outcomeOf(client));
      expect(await outcomeOf(client)).toBe('200 ');
    }
  });
});

describe('a frozen upstream', () => {
  it('that reads nothing of a body times out', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(
      cleanUp,
      () => undefined,
      (peer) => peer.write(settings([initialWindowSize, 0])),
    );
    const client = targetClient(upstream.port, cleanUp, { ...http2, readMs: 50 });
    const body = new ScriptedBody(Array.from({ length: 100 }, () => Buffer.alloc(10_000)));
    const outcome = await client.send({ ...plainUpstreamRequest, body }).response;
    const detail = 'nothing more of the request was taken within 50 ms';
    expect(outcome).toMatchObject({ error: { code: 'timed_out', neverSent: false, detail } });
    expect(body.reads).toBeLessThan(20);
  });

  it('after its head times out for the reader', async ({ cleanUp }) => {
    const { client, upstream } = await clientOf(
      cleanUp,
      (stream, peer) => peer.write(ok(stream), data(stream, 'some')),
      {
        readMs: 50,
      },
    );
    expect(await outcomeOf(client)).toBe('200, broken: timed_out');
    await eventually(() => upstream.peers[0]?.of(frameTypes.resetStream).length === 1);
  });

  it('does not time out while unread', async ({ cleanUp }) => {
    const upstream = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(2_000_000));
    });
    const client = targetClient(upstream.port, cleanUp, { ...http2, readMs: 150 });
    const outcome = await client.send(get).response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await bodyOctets(outcome.value.body)).length).toBe(2_000_000);
  });

  it('is awaited while its request is being sent', async ({ cleanUp }) => {
    const upstream = await startHttp2Upstream(cleanUp, (stream) => {
      stream.resume().on('end', () => stream.respond({ ':status': 204 }, { endStream: true }));
    });
    const client = targetClient(upstream.port, cleanUp, { ...http2, readMs: 30 });
    const pieces = [Buffer.from('one'), Buffer.from('two'), null];
    const body = Object.assign(new ScriptedBody([]), {
      read: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return pieces.shift() ?? null;
      },
    });
    expect(await outcomeOf(client, { ...plainUpstreamRequest, timeoutMs: 60, configuredTimeoutMs: 60, body })).toBe(
      '204 ',
    );
  });

  it('times out without a response after the request', async ({ cleanUp }) => {
    const { client } = await clientOf(cleanUp, () => undefined);
    const body = new ScriptedBody(['one']);
    const request = { ...plainUpstreamRequest, body, timeoutMs: 40, configuredTimeoutMs: 40 };
    const outcome = await client.send(request).response;
    expect(outcome).toMatchObject({ error: { code: 'timed_out', neverSent: false, detail: 'no answer within 40 ms' } });
  });
});
