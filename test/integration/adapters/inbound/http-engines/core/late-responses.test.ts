import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { turnMs } from '../../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import type { ClientRequest, ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { coreClient, undated } from '../../../../../support/gateway/core-client.js';
import { fedConnection } from '../../../../../support/gateway/fed-connection.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { passTime } from '../../../../../support/shared/loop-turns.js';
import { uncaughtErrors } from '../../../../../support/shared/uncaught-errors.js';

/** As many responses as may wait while more is handled. */
const most = 64;
const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const get = (target: string, fields = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const answerTo = (target: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`;
const octets = (text: string): Buffer => Buffer.from(text, 'latin1');

/**
 * Answers in one text where there is no body to read, and else with what comes of it, in the way that the target
 * says.
 */
const answer = ({ target, body }: ClientRequest, response: ClientResponse): void => {
  if (target.startsWith('/chunks')) {
    response.begin(200, [], false);
    void response.write(octets(target));
    response.end(['X-T', '1']);
  } else if (target.startsWith('/text')) {
    response.begin(200, ['Content-Length', String(target.length)], false);
    void void response.writeText(target);
    response.end([]);
  } else if (target.startsWith('/nothing')) response.send(204, [], null, false);
  else if (body === null) response.send(200, [], target, false);
  else {
    const whole = async (): Promise<string> => {
      let text = '';
      for (let piece = await body.read(); piece !== null; piece = await body.read()) text += Buffer.from(piece);
      return text;
    };
    void whole().then((text) => response.send(200, [], text, false));
  }
};

/** What is written to a client that sends these pieces. */
const writtenTo = async (pieces: readonly string[], inOneTurn: boolean): Promise<string> => {
  const connection = fedConnection(answer);
  const fed: Promise<void>[] = [];
  for (const piece of pieces) {
    const taken = connection.feed(octets(piece));
    if (inOneTurn) fed.push(taken);
    else await taken;
  }
  await Promise.all(fed);
  const end = answerTo('/last');
  await eventually(() => undated(connection.written).endsWith(end));
  await endOfTurn();
  return undated(connection.written);
};

/** Every request is answered where it is handled. */
const start = async (cleanUp: CleanUp, handle: (request: ClientRequest, response: ClientResponse) => void) => {
  const { listener, handler } = await recordedListener(cleanUp, null);
  const ends: boolean[] = [];
  handler.handle = (request, response) => {
    handler.requests.push(request);
    handler.responses.push(response);
    response.onClosed((completed) => ends.push(completed));
    handle(request, response);
  };
  return { listener, handler, ends, client: (halfOpen = false) => coreClient(cleanUp, listener, halfOpen) };
};

describe('responses of one turn', () => {
  it('reach each client once when all requests are ready before the first read', async ({ cleanUp }) => {
    const { ends, client } = await start(cleanUp, ({ target }, response) => response.send(200, [], target, false));
    const clients = Array.from({ length: 150 }, () => client());
    for (const [index, each] of clients.entries()) each.send(get(`/first/${index}`));
    await eventually(() => ends.length === clients.length);
    for (const [index, each] of clients.entries()) each.send(get(`/then/${index}`, 'Connection: close\r\n'));
    await Promise.all(clients.map((each) => each.closed()));
    expect(clients.map(({ text }) => undated(text).replaceAll('Connection: close\r\n', ''))).toEqual(
      clients.map((_, index) => answerTo(`/first/${index}`) + answerTo(`/then/${index}`)),
    );
    expect(ends).toEqual(new Array(300).fill(true));
  });

  it('wait while others are handled, up to 64 of them', async () => {
    const connections = Array.from({ length: 3 * most }, () => fedConnection(answer));
    const fed: Promise<void>[] = [];
    let mostWait = 0;
    for (const [index, connection] of connections.entries()) {
      fed.push(connection.feed(octets(get(`/${index}`))));
      const waiting = connections.slice(0, index + 1).filter(({ written }) => written === '').length;
      mostWait = Math.max(mostWait, waiting);
    }
    await Promise.all(fed);
    expect(mostWait).toBeGreaterThan(0);
    expect(mostWait).toBeLessThan(2 * most);
    expect(connections.map(({ written }) => undated(written))).toEqual(
      connections.map((_, index) => answerTo(`/${index}`)),
    );
  });

  const post = `POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n`;
  const sequences: readonly (readonly [string, readonly string[]])[] = [
    ['requests', [get('/1'), get('/2'), get('/3')]],
    ['requests in parts', [get('/1'), 'GET /2 HT', 'TP/1.1\r\nHost: a\r\n\r\nGE', 'T /3 HTTP/1.1\r\nHost: a\r\n\r\n']],
    ['several requests in each piece', [get('/1') + get('/2'), get('/text/3') + get('/4'), get('/5')]],
    ['texts', [get('/text/1'), get('/text/2')]],
    ['chunks', [get('/chunks/1'), get('/2'), get('/chunks/3')]],
    ['heads alone', [get('/1').replace('GET', 'HEAD'), get('/2'), get('/nothing')]],
    ['bodies', [get('/1'), post, 'abc', get('/2'), `${post}ab`, `c${get('/3')}`]],
    ['a body that is waited for', [get('/1'), post.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'), 'abc']],
  ];

  it.each(sequences)('stay in order, like those of many turns (%s)', async (_, pieces) => {
    const all = [...pieces, get('/last')];
    const apart = await writtenTo(all, false);
    expect(apart.match(/HTTP\/1\.1 20[04]/g)).toHaveLength(all.join('').match(/ HTTP\/1\.1\r\n/g)?.length ?? 0);
    // Whether the client is told to go on depends on what has come.
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
    expect((await writtenTo(all, true)).replace(interim, '')).toBe(apart.replace(interim, ''));
  });
});

/** A connection that awaits its answer, which is then given where nothing is read. */
const asked = async () => {
  const ends: boolean[] = [];
  const given: (() => void)[] = [];
  const connection = fedConnection((request, response) => {
    response.onClosed((completed) => ends.push(completed));
    given.push(() => answer(request, response));
  });
  await connection.feed(octets(get('/1')));
  return { connection, ends, respond: () => given.shift()?.() };
};

describe('a response that waits for the end of the turn', () => {
  it('is written then, after its exchange ends', async () => {
    const { connection, ends, respond } = await asked();
    respond();
    expect([connection.written, ends]).toEqual(['', [true]]);
    await endOfTurn();
    expect([undated(connection.written), ends]).toEqual([answerTo('/1'), [true]]);
  });

  it('is not lost if its end comes turns later, or if empty texts follow', async () => {
    const responses: ClientResponse[] = [];
    const connection = fedConnection((_, response) => {
      responses.push(response);
      response.begin(200, ['Content-Length', '2'], false);
      void response.writeText('ok');
      void response.writeText('');
    });
    await connection.feed(octets(get('/1')));
    await endOfTurn();
    expect(undated(connection.written)).toBe(answerTo('ok'));
    responses[0]?.end([]);
    await connection.feed(octets(get('/2')));
    responses[1]?.end([]);
    expect(undated(connection.written)).toBe(answerTo('ok') + answerTo('ok'));
  });

  it('reaches a client that half-closes in the same turn, and then the connection ends', async () => {
    const connection = fedConnection(answer);
    const fed = connection.feed(octets(get('/1')));
    connection.finish();
    await fed;
    await eventually(() => connection.hasEnded);
    expect(undated(connection.written)).toBe(answerTo('/1'));
  });

  it('is dropped if the client disconnected, and its end is reported once', async () => {
    const { connection, ends, respond } = await asked();
    respond();
    connection.end();
    await endOfTurn();
    expect([connection.written, ends]).toEqual(['', [true]]);
  });

  it('leaks nothing of a client that resets its connection in the same turn', async ({ cleanUp }) => {
    const { handler, ends, client } = await start(cleanUp, () => undefined);
    const asked = client().send(get('/1'));
    await eventually(() => handler.responses.length === 1);
    handler.responses[0]?.send(200, [], 'x', false);
    asked.socket.resetAndDestroy();
    await eventually(() => handler.open === 0);
    expect(ends).toHaveLength(1);
    const next = client().send(get('/2'));
    await eventually(() => handler.responses.length === 2);
    handler.responses[1]?.send(200, [], '/2', false);
    await next.got('/2');
    expect(undated(next.text)).toBe(answerTo('/2'));
  });

  it('is sent completely, as are later ones, if the system accepts a part', async ({ cleanUp }) => {
    const size = 60_000;
    const { handler, ends, client } = await start(cleanUp, (_, response) =>
      response.send(200, [], 'x'.repeat(size), false),
    );
    const asked = client();
    asked.socket.pause();
    const isTaken = async (): Promise<boolean> => {
      const count = handler.requests.length + 1;
      asked.send(get('/'));
      // Behind a response that is not taken no request is begun. Where this takes it for one too soon, the rest holds
      // as well.
      for (let look = 0; look < 50 && handler.requests.length < count; look += 1) await sleep(2);
      return handler.requests.length === count;
    };
    while (await isTaken());
    asked.send(get('/') + get('/', 'Connection: close\r\n'));
    asked.socket.resume();
    await asked.closed();
    const count = handler.requests.length;
    expect(asked.text.match(/200 OK/g)).toHaveLength(count);
    expect(asked.text.match(/x+/g)?.map(({ length }) => length)).toEqual(new Array(count).fill(size));
    expect(ends).toEqual(new Array(count).fill(true));
  });

  it.for([
    ['the listener leaves', 10_000],
    ['the listener leaves at once', 0],
  ] as const)(
    'reaches its client if %s in the same turn, and the connection ends',
    async ([_, graceMs], { cleanUp }) => {
      const { listener, handler, ends, client } = await start(cleanUp, () => undefined);
      const asked = client().send(get('/1'));
      await eventually(() => handler.responses.length === 1);
      handler.responses[0]?.send(200, [], '/1', false);
      const left = listener.drain(graceMs);
      // Timers that are due come before the end of the turn.
      passTime();
      await Promise.all([left, asked.closed()]);
      expect([undated(asked.text), asked.isReset, ends]).toEqual([answerTo('/1'), false, [true]]);
    },
  );
});

describe('a request that waits for the end of the turn', () => {
  it('is handled before a later connection once it has waited for long', async () => {
    const requests: string[] = [];
    const fed = fedConnection(({ target }) => void requests.push(target)).feed(octets(get('/1')));
    expect(requests).toEqual([]);
    passTime();
    fedConnection(answer);
    expect(requests).toEqual(['/1']);
    await fed;
    expect(requests).toEqual(['/1']);
  });
});

describe('the time of a turn', () => {
  it('is constant while a request is handled, and advances after a handler fails', async () => {
    const pass = (): void => {
      const beganMs = performance.now();
      while (performance.now() - beganMs < 2);
    };
    const seen: number[] = [];
    const connection = fedConnection(() => {
      seen.push(turnMs());
      pass();
      seen.push(turnMs());
      throw new Error('cannot be handled');
    });
    const errors = await uncaughtErrors(() => connection.feed(octets(get('/1'))));
    expect(errors).toEqual([new Error('cannot be handled')]);
    expect(seen[1]).toBe(seen[0]);
    const beforeMs = turnMs();
    pass();
    expect(turnMs()).toBeGreaterThan(beforeMs);
  });
});
