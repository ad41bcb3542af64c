import { afterAll, describe, expect } from 'vitest';
import type { ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import {
  answerTo,
  endOfTurn,
  get,
  type IdleClient,
  type IdleClients,
  idleClients,
} from '../../../../../support/gateway/idle-clients.js';
import { preparedTls } from '../../../../../support/gateway/tls-listener.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { OpensslCertificates } from '../../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
afterAll(() => pki.remove());
const identity = pki.server('a.example', { by: pki.authority('root'), names: ['DNS:a.example'] });

/** Longer than a test may take. */
const forever = 600_000;

/** Nothing is left of any connection, and each exchange that began has ended once. */
const expectNothingLeft = async ({ listener, handler, ends }: IdleClients): Promise<void> => {
  await eventually(() => listener.connections() === 0 && handler.open === 0);
  await eventually(() => ends.length === handler.requests.length);
  await endOfTurn();
  expect([ends.length, handler.open]).toEqual([handler.requests.length, 0]);
};

/** Others are served as before. */
const expectOthersServed = async (clients: IdleClients): Promise<void> => {
  const other = await clients.idle();
  other.come(get('/other'));
  await expect.poll(() => other.answered()).toBe(answerTo('/other'));
  other.client.socket.destroy();
};

/**
 * Sends, and holds the loop up for so long. What has come meanwhile is read before it is looked at what was due, and
 * waits then; begun at the end of a turn, this finds the timers before what is to be read.
 */
const sendHeldUp = async ({ client }: IdleClient, text: string, ms: number): Promise<void> => {
  await endOfTurn();
  client.send(text);
  const beganMs = performance.now();
  while (performance.now() - beganMs < ms);
};

describe('octets on an idle connection with a half-close in the same turn', () => {
  it('are answered, and then the connection ends', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, accepted, come, answered } = await clients.idle();
    come(get('/1'));
    accepted.push(null);
    await client.closed();
    expect([answered(), client.isReset, clients.ends]).toEqual([answerTo('/1'), false, [true]]);
    await expectNothingLeft(clients);
  });

  it.for([
    ['one piece', [get('/1') + get('/2')]],
    ['two pieces', [get('/1'), get('/2')]],
  ] as const)('are all answered if they are two requests in %s', async ([_, pieces], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, accepted, come, answered } = await clients.idle();
    come(...pieces);
    accepted.push(null);
    await client.closed();
    expect([answered(), clients.ends]).toEqual([answerTo('/1') + answerTo('/2'), [true, true]]);
    await expectNothingLeft(clients);
  });

  it('are all answered if they are more requests than one turn begins', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, accepted, come, answered } = await clients.idle();
    const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
    come(paths.map((path) => get(path)).join(''));
    accepted.push(null);
    await client.closed();
    expect(answered()).toEqual(paths.map((path) => answerTo(path)).join(''));
    await expectNothingLeft(clients);
  });

  it('count as those of a disconnected client if not answered at once', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, accepted, come, answered } = await clients.idle();
    come(get('/held'));
    accepted.push(null);
    await client.closed();
    expect([clients.targets(), answered(), clients.ends]).toEqual([['/held'], '', [false]]);
    await expectNothingLeft(clients);
  });

  it('are refused if they are an incomplete request', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, accepted, come, answered } = await clients.idle();
    come('GET /1 HT');
    accepted.push(null);
    await client.closed();
    expect(answered()).toMatch(/^HTTP\/1\.1 400 /);
    await expectNothingLeft(clients);
  });

  it('are answered on a real connection in any arrival pattern', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await Promise.all(Array.from({ length: 20 }, () => clients.idle(true)));
    for (const { client } of idles) client.send(get('/1')).socket.end();
    await Promise.all(idles.map(({ client }) => client.closed()));
    expect(idles.map(({ answered }) => answered())).toEqual(idles.map(() => answerTo('/1')));
    await expectNothingLeft(clients);
  });
});

describe('octets on an idle connection that is reset in the same turn', () => {
  it.for([
    ['is answered at once', '/1'],
    ['is answered too late', '/held'],
  ] as const)('leak nothing if they are a request that %s', async ([_, target], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await clients.idles(4);
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    for (const [place, { accepted, come }] of idles.entries()) {
      come(get(`${target}/${place}`));
      accepted.destroy(place % 2 === 0 ? error : undefined);
    }
    await expectNothingLeft(clients);
    for (const response of clients.handler.responses) if (!response.headSent) response.send(200, [], 'late', false);
    await expectNothingLeft(clients);
    await expectOthersServed(clients);
  });

  it('leak nothing if the clients reset their connections', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await clients.idles(20);
    for (const [place, { client }] of idles.entries()) {
      client.send(get(place % 2 === 0 ? '/1' : '/held')).socket.resetAndDestroy();
    }
    await expectNothingLeft(clients);
    await expectOthersServed(clients);
  });

  it('do not delay other clients', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const idles = await clients.idles(9);
    for (const [place, { accepted, come }] of idles.entries()) {
      come(get(`/${place}`));
      if (place % 3 === 0) accepted.destroy();
    }
    const standing = idles.filter((_, place) => place % 3 !== 0);
    await eventually(() => standing.every(({ answered }) => answered() !== ''));
    expect(standing.map(({ answered }) => answered())).toEqual(
      ['/1', '/2', '/4', '/5', '/7', '/8'].map((target) => answerTo(target)),
    );
  });
});

describe('tunnel octets in the same turn as the tunnel request', () => {
  const request = get('/held', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');

  it.for([
    ['where it is handled', true],
    ['later', false],
  ] as const)('reach the tunnel, as does their end (it is given %s)', async ([_, atOnce], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, accepted, come } = await clients.idle(true);
    let received = '';
    const give = async (response: ClientResponse): Promise<void> => {
      const tunnel = response.upgrade([]);
      for await (const piece of tunnel.iterator({ destroyOnReturn: false })) received += Buffer.from(piece);
      received += ' and their end';
      tunnel.end();
    };
    if (atOnce) clients.handler.handle = (_, response) => void give(response);
    come(request, 'octets', ' of it');
    await endOfTurn();
    const [held] = clients.handler.responses;
    if (held !== undefined) void give(held);
    await client.got('101');
    client.socket.end();
    await expect.poll(() => received).toBe('octets of it and their end');
    accepted.destroy();
  });
});

describe('octets on an idle connection that loses trust in the same turn', () => {
  it('are not answered, because no request begins for an untrusted client', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const [asked, silent] = await clients.idles(2);
    asked?.come(get('/1'));
    clients.listener.secure(preparedTls([identity]), forever);
    await endOfTurn();
    await Promise.all([asked?.client.closed(), silent?.client.closed()]);
    expect([asked?.answered(), silent?.answered()]).toEqual(['', '']);
    expect([clients.targets(), clients.ends]).toEqual([[], []]);
    await expectNothingLeft(clients);
  });

  it.for([
    ['a tunnel is asked for', get('/held', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')],
    ['they are the begin of a request', 'GET /1 HT'],
    ['they are an empty line', '\r\n'],
  ] as const)('end with the connection at once if %s', async ([_, text], { cleanUp }) => {
    const clients = await idleClients(cleanUp);
    const { client, come, answered } = await clients.idle();
    come(text);
    clients.listener.secure(preparedTls([identity]), forever);
    await client.closed();
    expect(answered()).toBe('');
    await expectNothingLeft(clients);
  });
});

describe('octets on an idle connection when its listener drains in the same turn', () => {
  it('are answered, while idle connections end with the turn', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp, { drainLingerMs: 0 });
    const idles = await clients.idles(4);
    for (const place of [1, 2]) idles[place]?.come(get(`/${place}`));
    const drained = clients.listener.drain(forever);
    await endOfTurn();
    expect([idles[0]?.accepted.destroyed, idles[3]?.accepted.destroyed]).toEqual([true, true]);
    await Promise.all([drained, ...idles.map(({ client }) => client.closed())]);
    expect(idles.map(({ answered }) => answered())).toEqual(['', answerTo('/1'), answerTo('/2'), '']);
    expect(clients.ends).toEqual([true, true]);
    await expectNothingLeft(clients);
  });

  it('are awaited if not answered at once', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp, { drainLingerMs: 0 });
    const { client, come, answered } = await clients.idle();
    come(get('/held'));
    const drained = clients.listener.drain(forever);
    await endOfTurn();
    clients.handler.responses[0]?.send(200, [], 'late', true);
    await Promise.all([drained, client.closed()]);
    expect([answered().endsWith('late'), clients.ends]).toEqual([true, [true]]);
  });
});

describe('octets on an idle connection that times out in the same turn', () => {
  const idleMs = 400;
  const heldUpMs = 550;

  it('are answered', async ({ cleanUp }) => {
    const clients = await idleClients(cleanUp, { idleMs });
    const [asked, silent] = [await clients.idle(), await clients.idle()];
    await sendHeldUp(asked, get('/1'), heldUpMs);
    await silent.client.closed();
    await eventually(() => asked.answered() === answerTo('/1') || asked.client.isClosed);
    expect([asked.answered(), silent.answered()]).toEqual([answerTo('/1'), '']);
    await asked.client.closed();
    await expectNothingLeft(clients);
  });

  it.for([
    ['an empty line', '\r\n'],
    ['the begin of an empty line', '\r'],
  ] as const)('do not keep the connection open forever if they are %s', async ([_, text], { cleanUp }) => {
    const clients = await idleClients(cleanUp, { idleMs });
    const idle = await clients.idle();
    await sendHeldUp(idle, text, heldUpMs);
    await idle.client.closed();
    await expectNothingLeft(clients);
  });
});
