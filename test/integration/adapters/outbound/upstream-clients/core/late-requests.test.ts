import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { deferRead, deferWrite, turnMs } from '../../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import type { BodySource } from '../../../../../../src/application/ports/gateway/body-source.js';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { startRawUpstream } from '../../../../../support/gateway/raw-upstream.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import {
  type AskedRequest,
  type AwaitedClient,
  type AwaitedExchange,
  listeningClient,
  plainUpstreamRequest,
  targetClient,
} from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** As many as may wait while something else is handled. */
const most = 64;
const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL';
const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET' };
const to = (target: string, request = get): UpstreamRequest => ({ ...request, target });
const withBody = (text: string): UpstreamRequest => ({
  ...plainUpstreamRequest,
  target: '/posted',
  headers: ['Host', 'a', 'Content-Length', String(text.length)],
  body: new ScriptedBody([text], text.length),
});
/** Two pieces, the first of which is there at once. */
class InPieces implements BodySource {
  readonly declaredLength = null;
  readonly #pieces = ['abc', 'def'].map((text) => Buffer.from(text));

  read(): Uint8Array | null {
    return this.#pieces.shift() ?? null;
  }

  trailers(): readonly string[] {
    return [];
  }

  cancel(): void {
    this.#pieces.length = 0;
  }
}

const targetOf = (head: string): string => head.split(' ')[1] ?? '';

/**
 * Runs it where timers do: what it has come to a socket is read behind it, and before the end of the turn, as if both
 * had happened at the same moment.
 */
const beforePoll = <Result>(act: () => Result): Promise<Result> =>
  new Promise((resolve, reject) => {
    setTimeout(() => {
      try {
        resolve(act());
      } catch (error) {
        reject(error);
      }
    }, 0);
  });

/** The text of an answer, or the code of what it failed with. */
const outcomeOf = async ({ response }: AwaitedExchange): Promise<string> => {
  const outcome = await response;
  return outcome.ok ? (await bodyOctets(outcome.value.body)).toString() : outcome.error.code;
};

/** Answers every request with its target. `sockets`: those that requests came by. */
const start = async (cleanUp: CleanUp, maxConnections = 100) => {
  const sockets = new Set<Socket>();
  const upstream = await startRawUpstream((socket, head) => {
    sockets.add(socket);
    const target = targetOf(head);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`);
  });
  cleanUp.add(() => upstream.close());
  const client = targetClient(upstream.port, cleanUp, { maxConnections, maxIdle: 100 });
  return { upstream, client, sockets, targets: () => upstream.heads.map(targetOf) };
};

/** As many connections as that are kept. */
const keep = async (client: AwaitedClient, count: number): Promise<void> => {
  const exchanges = Array.from({ length: count }, () => client.send(to('/kept')));
  await Promise.all(exchanges.map(outcomeOf));
  expect(client.figures().idleConnections).toBe(count);
};

/** A request that may be sent once more, and how often that was asked. */
const repeatable = (request: UpstreamRequest): AskedRequest & { asked: number } => {
  const asked = {
    ...request,
    asked: 0,
    takeRetry: () => {
      asked.asked += 1;
      return true;
    },
  };
  return asked;
};

describe('requests of one turn', () => {
  it.for([1, 100])('each get their own response over %i connections', async (maxConnections, { cleanUp }) => {
    const { client, targets } = await start(cleanUp, maxConnections);
    await keep(client, maxConnections);
    const wanted = Array.from({ length: 200 }, (_, index) => `/${index}`);
    const exchanges = await beforePoll(() => wanted.map((target) => client.send(to(target))));
    expect(await Promise.all(exchanges.map(outcomeOf))).toEqual(wanted);
    expect(targets().slice(maxConnections).toSorted()).toEqual(wanted.toSorted());
  });

  it('that waited for long before a response are handled before it', async ({ cleanUp }) => {
    const pass = (ms: number): void => {
      const beganMs = performance.now();
      while (performance.now() - beganMs < ms);
    };
    const happened: string[] = [];
    const upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      // In the next turn, before the answer is read.
      void beforePoll(() => {
        deferRead({ handleNow: () => void happened.push('handled') });
        pass(5);
      });
      pass(5);
    });
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp);
    await client.send(get).response.then(() => happened.push('answered'));
    expect(happened).toEqual(['handled', 'answered']);
  });

  it('are not sent if cancelled, and the next request gets their silent connection', async ({ cleanUp }) => {
    const { upstream, client, targets } = await start(cleanUp);
    await keep(client, 1);
    const [given, kept] = await beforePoll(() => {
      const exchange = client.send(to('/given-up'));
      exchange.cancel();
      return [exchange, client.send(to('/kept'))] as const;
    });
    expect(await Promise.all([outcomeOf(given), outcomeOf(kept)])).toEqual(['cancelled', '/kept']);
    expect([targets(), upstream.connections()]).toEqual([['/kept', '/kept'], 1]);
  });

  it('are sent complete with a body in one piece', async ({ cleanUp }) => {
    const { upstream, client } = await start(cleanUp);
    await keep(client, 1);
    const posted = await beforePoll(() => client.send(withBody('abc\r\n\r\n')));
    expect([await outcomeOf(posted), upstream.connections()]).toEqual(['/posted', 1]);
  });
});

const ends: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['ends', (socket) => socket.destroy()],
  ['is reset', (socket) => socket.resetAndDestroy()],
  ['brings an answer', (socket) => socket.write(evil)],
  ['brings a part of one', (socket) => socket.write(evil.slice(0, 20))],
  ['brings an answer and ends', (socket) => socket.end(evil)],
];

describe.each(ends)('when a connection %s in the turn of a new request on it', (_, act) => {
  const startWithKept = async (cleanUp: CleanUp, count = 1) => {
    const started = await start(cleanUp);
    await keep(started.client, count);
    const hit = (): void => {
      for (const socket of started.sockets) act(socket);
      started.sockets.clear();
    };
    return { ...started, hit };
  };

  it.for([
    ['before', true],
    ['behind', false],
  ] as const)('%s it, the request is sent once, on another connection', async ([_when, isBefore], { cleanUp }) => {
    const { upstream, client, targets, hit } = await startWithKept(cleanUp);
    const request = repeatable(to('/asked'));
    const exchange = await beforePoll(() => {
      if (isBefore) hit();
      const sent = client.send(request);
      if (!isBefore) hit();
      return sent;
    });
    expect(await outcomeOf(exchange)).toBe('/asked');
    expect([targets(), upstream.connections(), request.asked]).toEqual([['/kept', '/asked'], 2, 0]);
    await expect.poll(() => client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 1 });
  });

  it.for([
    ['', () => plainUpstreamRequest],
    // What the upstream of these tests takes for no head.
    [' with a body', () => withBody('abc\r\n\r\n')],
  ] as const)(
    'a POST%s is sent once, on another connection, because nothing was sent',
    async ([_which, post], { cleanUp }) => {
      const { client, targets, hit } = await startWithKept(cleanUp);
      const exchange = await beforePoll(() => {
        hit();
        return client.send(to('/posted', post()));
      });
      expect(await outcomeOf(exchange)).toBe('/posted');
      expect(await outcomeOf(client.send(to('/next')))).toBe('/next');
      expect(targets()).toEqual(['/kept', '/posted', '/next']);
    },
  );

  it('these octets answer none of the excess requests', async ({ cleanUp }) => {
    const { client, targets, hit } = await startWithKept(cleanUp, most + 6);
    const wanted = Array.from({ length: most + 6 }, (_each, index) => `/${index}`);
    const exchanges = await beforePoll(() => {
      hit();
      return wanted.map((target) => client.send(repeatable(to(target))));
    });
    expect(await Promise.all(exchanges.map(outcomeOf))).toEqual(wanted);
    expect(
      targets()
        .slice(most + 6)
        .toSorted(),
    ).toEqual(wanted.toSorted());
  });
});

it('a request that begins during deferred writes does not get earlier octets of its connection', async ({
  cleanUp,
}) => {
  const { client, sockets } = await start(cleanUp, 1);
  await keep(client, 1);
  const exchange = await new Promise<AwaitedExchange>((resolve) => {
    // Its head is written at once, and not at the end of the turn.
    const begin = (): void => resolve(client.send({ ...plainUpstreamRequest, body: new InPieces() }));
    setTimeout(() => {
      for (const socket of sockets) socket.write(evil);
      deferWrite({ writeNow: begin });
      for (let count = 1; count < most; count += 1) deferWrite({ writeNow: () => undefined });
    }, 0);
  });
  expect(await outcomeOf(exchange)).toBe('/');
});

it('a response to a cancelled request is not the response of the next one', async ({ cleanUp }) => {
  const asked: Socket[] = [];
  const upstream = await startRawUpstream((socket, head) => {
    if (targetOf(head) === '/given-up') asked.push(socket);
    else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n/waited');
  });
  cleanUp.add(() => upstream.close());
  const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
  const given = client.send(to('/given-up'));
  const waited = client.send(to('/waited'));
  await expect.poll(() => asked.length).toBe(1);
  await beforePoll(() => {
    asked[0]?.write(evil);
    deferWrite({ writeNow: () => given.cancel() });
    for (let count = 1; count < most; count += 1) deferWrite({ writeNow: () => undefined });
  });
  expect(await Promise.all([outcomeOf(given), outcomeOf(waited)])).toEqual(['cancelled', '/waited']);
});

it('responses are handled after earlier work when 64 wait', async ({ cleanUp }) => {
  const asked: Socket[] = [];
  const upstream = await startRawUpstream((socket) => asked.push(socket));
  cleanUp.add(() => upstream.close());
  const client = listeningClient(upstream.port, cleanUp);
  let waiting = 0;
  let waited = -1;
  const answered = (): void => {
    waited = waiting;
  };
  client.send(get, { informed: () => undefined, answered, failed: () => undefined, takeRetry: () => false });
  await expect.poll(() => asked.length).toBe(1);
  await beforePoll(() => {
    asked[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    waiting = most;
    const writeNow = (): void => {
      waiting -= 1;
    };
    for (let count = 0; count < most; count += 1) deferWrite({ writeNow });
  });
  await expect.poll(() => waited).toBe(0);
});

it('the turn time is constant while a response is handled, and advances after it', async ({ cleanUp }) => {
  const { upstream } = await start(cleanUp);
  const client = listeningClient(upstream.port, cleanUp);
  const pass = (): void => {
    const beganMs = performance.now();
    while (performance.now() - beganMs < 2);
  };
  const seen = await new Promise<readonly number[]>((resolve, reject) => {
    const answered = (): void => {
      const atMs = turnMs();
      pass();
      resolve([atMs, turnMs()]);
    };
    client.send(get, {
      informed: () => undefined,
      answered,
      failed: ({ detail }) => reject(new Error(detail)),
      takeRetry: () => false,
    });
  });
  expect(seen[1]).toBe(seen[0]);
  const beforeMs = turnMs();
  pass();
  expect(turnMs()).toBeGreaterThan(beforeMs);
});
