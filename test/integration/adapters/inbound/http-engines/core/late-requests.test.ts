import { afterAll, describe, expect } from 'vitest';
import { tlsClient, undated } from '../../../../../support/gateway/core-client.js';
import { answerTo, endOfTurn, get, type IdleClient, idleClients } from '../../../../../support/gateway/idle-clients.js';
import { preparedTls, recordedListener } from '../../../../../support/gateway/tls-listener.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { OpensslCertificates } from '../../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
afterAll(() => pki.remove());

/** As many connections as may wait until the end of the turn, and one more: then all are handled. */
const most = 64;
const post = (body: string): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Sends the pieces, each in its own turn or all in one, and waits for the answer to the last request. */
const exchange = async (idle: IdleClient, pieces: readonly string[], inOneTurn: boolean, last: string) => {
  if (inOneTurn) idle.come(...pieces);
  else {
    for (const piece of pieces) {
      idle.come(piece);
      await endOfTurn();
    }
  }
  await eventually(() => idle.answered().endsWith(last));
  return idle.answered();
};

describe('octets on an idle connection', () => {
  it('are handled at the end of the turn, after promises and ticks', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idle = await clients.idle();
    idle.come(get('/1'));
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(clients.targets()).toEqual([]);
    await endOfTurn();
    expect(clients.targets()).toEqual(['/1']);
    await eventually(() => idle.answered() === answerTo('/1'));
  });

  it('are handled with those of other connections in arrival order, and answered in that turn', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await clients.idles(3);
    for (const place of [2, 0, 1]) idles[place]?.come(get(`/${place}`));
    expect(clients.targets()).toEqual([]);
    await endOfTurn();
    expect(clients.targets()).toEqual(['/2', '/0', '/1']);
    await eventually(() => idles.every(({ answered }, place) => answered() === answerTo(`/${place}`)));
    expect(clients.ends).toEqual([true, true, true]);
  });

  it('are handled at once when 64 connections wait', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await clients.idles(most + 6);
    for (const [place, idle] of idles.entries()) {
      idle.come(get(`/${place}`));
      expect(clients.targets()).toHaveLength(place + 1 < most ? 0 : most);
    }
    await endOfTurn();
    expect(clients.targets()).toEqual(idles.map((_, place) => `/${place}`));
    await eventually(() => idles.every(({ answered }, place) => answered() === answerTo(`/${place}`)));
  });

  it('are answered once each for 200 clients that repeatedly send in the same turn', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await clients.idles(200);
    let answers = '';
    for (const round of ['a', 'b', 'c']) {
      for (const [place, { client }] of idles.entries()) client.send(get(`/${round}/${place}`));
      answers += round;
      const count = idles.length * answers.length;
      await eventually(() => clients.ends.length === count);
    }
    const expected = (place: number): string => [...answers].map((round) => answerTo(`/${round}/${place}`)).join('');
    await eventually(() => idles.every(({ answered }, place) => answered().length >= expected(place).length));
    expect(idles.map(({ answered }) => answered())).toEqual(idles.map((_, place) => expected(place)));
    expect(clients.ends).toEqual(new Array(600).fill(true));
    expect(clients.listener.connections()).toBe(200);
  });
});

describe('octets that arrive in pieces on an idle connection', () => {
  it.for([
    ['in one turn', true],
    ['in turns of their own', false],
  ] as const)('are one request at any cut (%s)', async ([_, inOneTurn], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idle = await clients.idle();
    const requests = [get('/cut'), post('body')];
    let expected = '';
    for (const request of requests) {
      const answer = answerTo(request.startsWith('GET') ? '/cut' : 'body');
      for (let cut = 1; cut < request.length; cut += 1) {
        expected += answer;
        idle.come(request.slice(0, cut));
        if (!inOneTurn) await endOfTurn();
        idle.come(request.slice(cut));
        await eventually(() => idle.answered().length >= expected.length);
        expect(idle.answered()).toBe(expected);
      }
    }
    expect(clients.ends).toHaveLength(requests.join('').length - requests.length);
  });

  const long = 'x'.repeat(200_000);
  const sequences: readonly (readonly [string, readonly string[], string])[] = [
    ['two requests', [get('/1'), get('/2')], answerTo('/1') + answerTo('/2')],
    [
      'five',
      ['/1', '/2', '/3', '/4', '/5'].map((target) => get(target)),
      ['/1', '/2', '/3', '/4', '/5'].map(answerTo).join(''),
    ],
    [
      'one and the begin of the next',
      [`${get('/1')}GET /2`, ' HTTP/1.1\r\nHo', 'st: a\r\n\r\n'],
      answerTo('/1') + answerTo('/2'),
    ],
    ['empty lines between them', ['\r\n', get('/1'), '\r\n', `\r\n${get('/2')}`], answerTo('/1') + answerTo('/2')],
    ['a body and what is behind it', [post('abc').slice(0, -2), `bc${get('/2')}`], answerTo('abc') + answerTo('/2')],
    [
      'a long body',
      [post(long).slice(0, 100), post(long).slice(100, 150_000), post(long).slice(150_000)],
      answerTo(long),
    ],
    ['octet by octet', [...get('/1'), ...get('/2')], answerTo('/1') + answerTo('/2')],
  ];

  it.for(sequences)('are answered in order, in one turn or many (%s)', async ([_, pieces, expected], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    for (const inOneTurn of [true, false]) {
      const idle = await clients.idle();
      expect(await exchange(idle, pieces, inOneTurn, expected)).toBe(expected);
    }
  });

  it('begin one after the other while the first is unanswered', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idle = await clients.idle();
    idle.come(get('/held/1'), get('/2'));
    await endOfTurn();
    expect(clients.targets()).toEqual(['/held/1']);
    clients.handler.responses[0]?.send(200, [], 'late', false);
    await eventually(() => idle.answered() === answerTo('late') + answerTo('/2'));
    expect(clients.targets()).toEqual(['/held/1', '/2']);
  });

  it('stay in order on a real connection in any arrival pattern', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idle = await clients.idle();
    let expected = '';
    for (let round = 0; round < 20; round += 1) {
      idle.client.send(`${get(`/${round}/1`)}GET /${round}/2 HT`).send('TP/1.1\r\nHost: a\r\n\r\n');
      if (round % 2 === 0) await endOfTurn();
      idle.client.send(get(`/${round}/3`));
      for (const place of [1, 2, 3]) expected += answerTo(`/${round}/${place}`);
      await eventually(() => idle.answered().length >= expected.length);
      expect(idle.answered()).toBe(expected);
    }
  });

  it('stay in order over TLS', async ({ cleanUp }) => {
    const identity = pki.server('a.example', { by: pki.authority('root'), names: ['DNS:a.example'] });
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([identity]));
    handler.handle = ({ target }, response) => response.send(200, [], target, false);
    const client = tlsClient(cleanUp, listener);
    let expected = '';
    for (let round = 0; round < 20; round += 1) {
      client
        .send(get(`/${round}/1`).slice(0, 9))
        .send(get(`/${round}/1`).slice(9))
        .send(get(`/${round}/2`));
      expected += answerTo(`/${round}/1`) + answerTo(`/${round}/2`);
      await eventually(() => undated(client.text).length >= expected.length);
      expect(undated(client.text)).toBe(expected);
    }
  });
});

describe('garbage on an idle connection', () => {
  it.for([
    ['alone', ['GET / HTTP/9.9\r\n\r\n']],
    ['in pieces', ['\x00', '\x01\r\n\r\n']],
    ['with requests behind it', ['GET / HTTP/9.9\r\n\r\n', get('/1'), get('/2')]],
  ] as const)('is refused once, in the same turn, and the connection ends (%s)', async ([_, pieces], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idle = await clients.idle();
    idle.come(...pieces);
    await endOfTurn();
    expect(clients.handler.rejections.map(({ reason }) => reason)).toEqual(['malformed']);
    await idle.client.closed();
    expect(idle.client.text.match(/HTTP\/1\.1 400 /g)).toHaveLength(1);
    expect(idle.client.text.match(/HTTP\/1\.1 /g)).toHaveLength(2);
    await eventually(() => clients.listener.connections() === 0);
  });

  it('gets no own response after a request of the same turn', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idle = await clients.idle();
    idle.come(get('/1'), 'no request\r\n\r\n');
    await idle.client.closed();
    expect(idle.answered()).toContain('Connection: close\r\n');
    expect(idle.answered().replace('Connection: close\r\n', '')).toBe(answerTo('/1'));
    expect(clients.handler.rejections).toEqual([]);
    await eventually(() => clients.listener.connections() === 0);
  });
});
