import { describe, expect } from 'vitest';
import {
  frame,
  frameFlags,
  frameTypes,
  headers,
  number32,
  type RawHttp2Peer,
  startRawHttp2Upstream,
} from '../../../../../support/gateway/raw-http2-upstream.js';
import { bodyOctets } from '../../../../../support/gateway/scripted-body.js';
import {
  type AskedRequest,
  type AwaitedExchange,
  plainUpstreamRequest,
  targetClient,
} from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const { endStream, endHeaders } = frameFlags;
const noError = 0;
const refused = 7;
const highestStream = 2 ** 31 - 1;
/** Not repeatable for any other reason. */
const post: AskedRequest = plainUpstreamRequest;

const refusal = (stream: number): Buffer => frame(frameTypes.resetStream, 0, stream, number32(refused));
const goaway = (lastStream: number): Buffer => frame(frameTypes.goaway, 0, 0, number32(lastStream, noError));
const answer = (stream: number): Buffer => headers(stream, [[':status', '200']], endHeaders + endStream);

const outcomeOf = async (exchange: AwaitedExchange): Promise<string> => {
  const outcome = await exchange.response;
  if (!outcome.ok) return `${outcome.error.code}${outcome.error.neverSent ? ', never sent' : ''}`;
  await bodyOctets(outcome.value.body);
  return String(outcome.value.status);
};

/** Two requests on one session, of which the upstream has answered none; it answers those on other sessions. */
const startTwo = async (cleanUp: CleanUp) => {
  const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
    if (type === frameTypes.headers && peer.index > 0) peer.write(answer(stream));
  });
  const client = targetClient(upstream.port, cleanUp, { httpVersion: '2' });
  const outcomes = [outcomeOf(client.send(post)), outcomeOf(client.send(post))];
  await eventually(() => upstream.peers[0]?.of(frameTypes.headers).length === 2);
  const first = upstream.peers[0] as RawHttp2Peer;
  const sent = (): number => upstream.peers.reduce((sum, peer) => sum + peer.of(frameTypes.headers).length, 0);
  return { first, outcomes, upstream, sent };
};

describe('after a GOAWAY whose last stream', () => {
  it('is below a request, the request is sent again; the other one finishes', async ({ cleanUp }) => {
    const { first, outcomes, upstream, sent } = await startTwo(cleanUp);
    first.write(goaway(1));
    expect(await outcomes[1]).toBe('200');
    first.write(answer(1));
    expect(await outcomes[0]).toBe('200');
    expect([sent(), upstream.peers.length]).toEqual([3, 2]);
  });

  it.for([
    ['equals the last request', 3],
    ['is above all requests', highestStream],
  ] as const)('%s, both finish on their session', async ([_, lastStream], { cleanUp }) => {
    const { first, outcomes, upstream, sent } = await startTwo(cleanUp);
    first.write(goaway(lastStream), answer(1), answer(3));
    expect(await Promise.all(outcomes)).toEqual(['200', '200']);
    expect([sent(), upstream.peers.length]).toEqual([2, 1]);
  });

  it('sinks with a second GOAWAY, the requests above it are sent again', async ({ cleanUp }) => {
    const { first, outcomes, sent } = await startTwo(cleanUp);
    first.write(goaway(highestStream), goaway(1));
    expect(await outcomes[1]).toBe('200');
    first.write(answer(1));
    expect([await outcomes[0], sent()]).toEqual(['200', 3]);
  });

  it.for(['closes', 'is reset'])(
    'is below a request, and whose connection then %s, only that request is sent again',
    async (how, { cleanUp }) => {
      const { first, outcomes, sent } = await startTwo(cleanUp);
      first.socket.write(goaway(1), () => {
        if (how === 'closes') first.socket.end();
        else setTimeout(() => first.socket.resetAndDestroy(), 20);
      });
      expect(await Promise.all(outcomes)).toEqual(['unreachable', '200']);
      expect(sent()).toBe(3);
    },
  );
});

describe('a refused request', () => {
  /** An upstream that refuses the first `count` requests. */
  const startRefusing = async (cleanUp: CleanUp, count: number, changes = {}) => {
    let left = count;
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
      if (type !== frameTypes.headers) return;
      left -= 1;
      peer.write(left >= 0 ? refusal(stream) : answer(stream));
    });
    const client = targetClient(upstream.port, cleanUp, { httpVersion: '2', ...changes });
    const sent = (): number => upstream.peers.reduce((sum, peer) => sum + peer.of(frameTypes.headers).length, 0);
    return { client, sent, upstream };
  };

  it('uses its connection again if there may be no other', async ({ cleanUp }) => {
    const { client, sent, upstream } = await startRefusing(cleanUp, 4, { maxConnections: 1 });
    expect(await outcomeOf(client.send(post))).toBe('200');
    expect([sent(), upstream.peers.length]).toEqual([5, 1]);
  });

  it('is sent again while its client closes, as a request in flight', async ({ cleanUp }) => {
    // The waits of 0, 5, 10, 20, 40 and 80 ms leave the client time to close.
    const { client, sent } = await startRefusing(cleanUp, 6);
    const outcome = outcomeOf(client.send(post));
    await eventually(() => sent() >= 2);
    const closed = client.close(20_000);
    expect(await outcome).toBe('200');
    await closed;
  });

  it('ends with the grace period of its client', async ({ cleanUp }) => {
    const { client, sent } = await startRefusing(cleanUp, Number.POSITIVE_INFINITY);
    const outcome = outcomeOf(client.send(post));
    await eventually(() => sent() >= 2);
    await client.close(50);
    expect(await outcome).toMatch(/^(cancelled|unreachable)/);
  });

  it('moves to another target when its own is taken out while it waits', async ({ cleanUp }) => {
    const { client, sent } = await startRefusing(cleanUp, Number.POSITIVE_INFINITY);
    const exchange = client.send(post);
    await eventually(() => sent() >= 6);
    // A wait of 160 ms follows the seventh; `evictQueued` reaches the request in one of its waits.
    const asked = setInterval(() => client.evictQueued(), 1);
    cleanUp.add(() => clearInterval(asked));
    expect(await exchange.response).toMatchObject({ ok: false, error: { wasEvicted: true } });
  });

  it('is cancelled while it waits', async ({ cleanUp }) => {
    const { client, sent } = await startRefusing(cleanUp, Number.POSITIVE_INFINITY);
    const exchange = client.send(post);
    await eventually(() => sent() >= 6);
    exchange.cancel();
    expect(await exchange.response).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    // Nothing is left that keeps the client from closing.
    await client.close(600_000);
  });
});
