import { connect as connectPlain, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { TlsContext, TlsMaterial } from '../../../../../src/application/ports/gateway/http-engine.js';
import type { ClientResponse } from '../../../../../src/application/ports/gateway/http-exchange.js';
import { tlsConnection } from '../../../../support/gateway/tls-call.js';
import { preparedTls, type RecordedListener, recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
/** Far longer than a test may take: nothing is cut off by it. */
const longGraceMs = 600_000;
let root: OpensslCertificate;
let partners: OpensslCertificate;
let others: OpensslCertificate;
let server: OpensslCertificate;
let renewed: OpensslCertificate;
let client: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  partners = pki.authority('partners');
  others = pki.authority('others');
  server = pki.server('server', { by: root, names: ['DNS:a.example'] });
  renewed = pki.server('renewed', { by: root, names: ['DNS:a.example'] });
  client = pki.client('client', { by: partners });
});
afterAll(() => pki.remove());

const trusting = (changes: Partial<TlsMaterial> = {}, shown = server) =>
  preparedTls([shown], {
    clientAuth: 'request',
    clientAuthorities: partners.certificate + others.certificate,
    ...changes,
  });

/** Without the authority of the client. */
const narrowed = () => trusting({ clientAuthorities: others.certificate });

const anonymous = (): ConnectionOptions => ({ ca: root.certificate, servername: 'a.example' });
const identified = (): ConnectionOptions => ({ ...anonymous(), cert: client.certificate, key: client.key });

const pem = ({ certificate }: OpensslCertificate): string => certificate;

const needing = () => trusting({ clientAuth: 'require' });
const unasked = () => preparedTls([server]);

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A client's end of a connection, with everything that it has got. */
interface Peer {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  got(): string;
}

const peer = async (cleanUp: CleanUp, { listener }: RecordedListener, options = identified()): Promise<Peer> =>
  peerOn(cleanUp, await tlsConnection(listener.address(), options));

/** Without TLS. */
const plainPeer = async (cleanUp: CleanUp, { listener }: RecordedListener): Promise<Peer> => {
  const socket = connectPlain(listener.address().port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return peerOn(cleanUp, socket);
};

const peerOn = (cleanUp: CleanUp, socket: Socket): Peer => {
  cleanUp.add(() => socket.destroy());
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => {
    text += piece;
  });
  return { socket, got: () => text, closed: new Promise((resolve) => socket.once('close', () => resolve())) };
};

/** One that has had an answer, and is idle now. */
const idlePeer = async (cleanUp: CleanUp, recorded: RecordedListener, options = identified()): Promise<Peer> => {
  const made = await peer(cleanUp, recorded, options);
  await expectAnswer(made);
  return made;
};

const expectAnswer = async ({ socket, got }: Peer): Promise<void> => {
  const before = got().length;
  socket.write(request);
  await expect.poll(() => got().slice(before)).toContain('"listener":"main"');
};

/** Sends a request and waits until it is being expectAnswer. */
const busy = async ({ handler }: RecordedListener, { socket }: Peer, text = request): Promise<ClientResponse> => {
  handler.held = true;
  const count = handler.requests.length;
  socket.write(text);
  await expect.poll(() => handler.requests.length).toBe(count + 1);
  return handler.responses.at(-1) as ClientResponse;
};

const upgradeRequest =
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n';

describe('connections of clients with a certificate that may have lost its trust', () => {
  const changes: readonly (readonly [what: string, next: () => TlsContext | null])[] = [
    ['its authority is removed', narrowed],
    ['an authority is added', () => trusting({ clientAuthorities: [partners, others, root].map(pem).join('') })],
    ['certificates are no longer asked for', () => trusting({ clientAuth: 'none', clientAuthorities: null })],
    ['the least version is raised', () => trusting({ minVersion: '1.3' })],
    ['the listener becomes a plain one', () => null],
  ];
  it.for(changes)(
    'end at once if idle when %s; connections without a certificate stay',
    async ([_, next], { cleanUp }) => {
      const recorded = await recordedListener(cleanUp, trusting());
      const used = await idlePeer(cleanUp, recorded);
      const unused = await peer(cleanUp, recorded);
      const without = await idlePeer(cleanUp, recorded, anonymous());
      await expect.poll(() => recorded.listener.connections()).toBe(3);
      recorded.listener.secure(next(), longGraceMs);
      await Promise.all([used.closed, unused.closed]);
      await expectAnswer(without);
      expect(recorded.listener.connections()).toBe(1);
      expect(recorded.handler.requests).toHaveLength(3);
      expect(recorded.handler.failures).toEqual([]);
    },
  );

  it.for([
    ['nothing changes', () => trusting()],
    ['the certificate of the server changes', () => trusting({}, renewed)],
    [
      'the file of authorities is written in another way',
      () => trusting({ clientAuthorities: `# both\n${[others, partners, others].map(pem).join('\n# and\n')}` }),
    ],
  ] as const)('stay if %s', async ([_, next], { cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const idle = await idlePeer(cleanUp, recorded);
    const tunnel = await peer(cleanUp, recorded);
    const open = (await busy(recorded, tunnel, upgradeRequest)).upgrade([]);
    recorded.handler.held = false;
    recorded.listener.secure(next(), 0);
    await expectAnswer(idle);
    open.write(Buffer.from('still there'), () => undefined);
    await expect.poll(tunnel.got).toContain('still there');
    expect(recorded.listener.connections()).toBe(2);
  });

  it('end at once if idle when certificates become required', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const used = await idlePeer(cleanUp, recorded);
    recorded.listener.secure(needing(), longGraceMs);
    await used.closed;
    await expectAnswer(await peer(cleanUp, recorded));
  });

  it('end even if a later change restores the authority', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const idle = await idlePeer(cleanUp, recorded);
    recorded.listener.secure(narrowed(), longGraceMs);
    recorded.listener.secure(trusting(), longGraceMs);
    await idle.closed;
    await expectAnswer(await peer(cleanUp, recorded));
  });

  it('end after the current response with Connection: close, and begin no further request', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const asking = await peer(cleanUp, recorded);
    const response = await busy(recorded, asking, request + request);
    recorded.listener.secure(narrowed(), longGraceMs);
    recorded.listener.secure(narrowed(), 0);
    asking.socket.write(request);
    response.send(200, [], 'all of it', false);
    await asking.closed;
    expect(asking.got()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n\r\nall of it$/);
    expect(recorded.handler.requests).toHaveLength(1);
  });

  it('end after a response with a head that was sent before', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const asking = await peer(cleanUp, recorded);
    const response = await busy(recorded, asking);
    response.begin(200, ['Content-Length', '600000'], false);
    await response.write(Buffer.alloc(100_000, 'x'));
    await expect.poll(asking.got).toContain('\r\n\r\n');
    recorded.listener.secure(narrowed(), longGraceMs);
    asking.socket.write(request);
    for (let part = 0; part < 5; part += 1) await response.write(Buffer.alloc(100_000, 'x'));
    response.end([]);
    await asking.closed;
    expect(asking.got().split('\r\n\r\n')[1]).toHaveLength(600_000);
    expect(recorded.handler.requests).toHaveLength(1);
  });

  it('end after a request with an unfinished body', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const asking = await peer(cleanUp, recorded);
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234';
    const response = await busy(recorded, asking, post);
    const { body } = recorded.handler.requests[0] ?? {};
    recorded.listener.secure(narrowed(), longGraceMs);
    asking.socket.write('56789');
    let text = '';
    for (let piece = await body?.read(); piece; piece = await body?.read()) text += Buffer.from(piece).toString();
    response.send(200, [], text, false);
    await asking.closed;
    expect(asking.got()).toMatch(/\r\nConnection: close\r\n\r\n0123456789$/);
  });

  it('end after the grace period, even within a response', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const asking = await peer(cleanUp, recorded);
    const response = await busy(recorded, asking);
    response.begin(200, [], false);
    void response.write(Buffer.from('the first event'));
    const over = new Promise<boolean>((resolve) => response.onClosed(resolve));
    await expect.poll(asking.got).toContain('the first event');
    recorded.listener.secure(narrowed(), 50);
    expect(await over).toBe(false);
    await asking.closed;
  });

  it('end at once as tunnels and as pending tunnels', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const [tunnel, waiting, without] = [
      await peer(cleanUp, recorded),
      await peer(cleanUp, recorded),
      await peer(cleanUp, recorded, anonymous()),
    ] as const;
    (await busy(recorded, tunnel, upgradeRequest)).upgrade([]);
    await expect.poll(tunnel.got).toContain('101 Switching Protocols');
    await busy(recorded, waiting, upgradeRequest);
    const open = (await busy(recorded, without, upgradeRequest)).upgrade([]);
    recorded.listener.secure(narrowed(), longGraceMs);
    await Promise.all([tunnel.closed, waiting.closed]);
    open.write(Buffer.from('still there'), () => undefined);
    await expect.poll(without.got).toContain('still there');
  });

  it('end at once as tunnels even if the client reads nothing', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const stalled = await peer(cleanUp, recorded);
    const open = (await busy(recorded, stalled, upgradeRequest)).upgrade([]);
    stalled.socket.pause();
    open.write(Buffer.alloc(20_000_000), () => undefined);
    recorded.listener.secure(narrowed(), longGraceMs);
    await expect.poll(() => recorded.listener.connections()).toBe(0);
  });

  it('do not begin from a handshake in progress', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, trusting());
    const { listener, handler } = recorded;
    const raws = [
      connectPlain(listener.address().port, '127.0.0.1'),
      connectPlain(listener.address().port, '127.0.0.1'),
    ];
    await expect.poll(() => listener.connections()).toBe(2);
    listener.secure(narrowed(), longGraceMs);
    const [socket, without] = await Promise.all(
      [identified(), anonymous()].map((who, index) => {
        const raw = raws[index];
        if (!raw) throw new Error('there is no connection');
        return tlsConnection(listener.address(), { ...who, socket: raw });
      }),
    );
    const closed = new Promise((resolve) => socket?.once('close', resolve));
    socket?.write(request);
    socket?.resume();
    await closed;
    expect(handler.requests).toEqual([]);
    const answer = new Promise<string>((resolve) => without?.once('data', (data) => resolve(String(data))));
    without?.write(request);
    expect(await answer).toContain('200 OK');
    without?.destroy();
  });
});

describe('connections that prove less than is required now', () => {
  const without = (cleanUp: CleanUp, recorded: RecordedListener): Promise<Peer> => peer(cleanUp, recorded, anonymous());

  const cases = [
    ['without a certificate, where none was asked for and it becomes a must', unasked, without, needing],
    ['without a certificate, where it was asked for and becomes a must', trusting, without, needing],
    ['without TLS, where certificates become a must', () => null, plainPeer, needing],
    ['without TLS, where certificates are asked for', () => null, plainPeer, trusting],
    ['without TLS, where TLS becomes a must', () => null, plainPeer, unasked],
  ] as const;

  describe.each(cases)('%s', (_, first, open, next) => {
    it('end at once if idle, used or unused', async ({ cleanUp }) => {
      const recorded = await recordedListener(cleanUp, first());
      const used = await open(cleanUp, recorded);
      await expectAnswer(used);
      const unused = await open(cleanUp, recorded);
      await expect.poll(() => recorded.listener.connections()).toBe(2);
      recorded.listener.secure(next(), longGraceMs);
      await Promise.all([used.closed, unused.closed]);
      await expect.poll(() => recorded.listener.connections()).toBe(0);
      expect(recorded.handler.requests).toHaveLength(1);
      await expectAnswer(await peer(cleanUp, recorded));
    });

    it('end after the current response with Connection: close, and begin no further request', async ({ cleanUp }) => {
      const recorded = await recordedListener(cleanUp, first());
      const asking = await open(cleanUp, recorded);
      const response = await busy(recorded, asking, request + request);
      recorded.listener.secure(next(), longGraceMs);
      asking.socket.write(request);
      response.send(200, [], 'all of it', false);
      await asking.closed;
      expect(asking.got()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n\r\nall of it$/);
      expect(recorded.handler.requests).toHaveLength(1);
    });

    it('end after the grace period', async ({ cleanUp }) => {
      const recorded = await recordedListener(cleanUp, first());
      const asking = await open(cleanUp, recorded);
      await busy(recorded, asking);
      recorded.listener.secure(next(), 50);
      await asking.closed;
      expect(recorded.listener.connections()).toBe(0);
    });

    it('end at once as tunnels', async ({ cleanUp }) => {
      const recorded = await recordedListener(cleanUp, first());
      const tunnel = await open(cleanUp, recorded);
      (await busy(recorded, tunnel, upgradeRequest)).upgrade([]);
      await expect.poll(tunnel.got).toContain('101 Switching Protocols');
      recorded.listener.secure(next(), longGraceMs);
      await tunnel.closed;
    });
  });

  it.for([
    ['none was asked for', unasked],
    ['one was asked for', trusting],
  ] as const)(
    'do not begin from a handshake without a certificate, in progress when %s',
    async ([_, first], { cleanUp }) => {
      const { listener, handler } = await recordedListener(cleanUp, first());
      const raw = connectPlain(listener.address().port, '127.0.0.1');
      await expect.poll(() => listener.connections()).toBe(1);
      listener.secure(needing(), longGraceMs);
      const socket = await tlsConnection(listener.address(), { ...anonymous(), socket: raw });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(request);
      socket.resume();
      await closed;
      expect(handler.requests).toEqual([]);
    },
  );

  it('stay if nothing more is required', async ({ cleanUp }) => {
    const recorded = await recordedListener(cleanUp, unasked());
    const standing = await without(cleanUp, recorded);
    await expectAnswer(standing);
    for (const next of [trusting(), narrowed(), unasked(), null]) {
      recorded.listener.secure(next, 0);
      await expectAnswer(standing);
    }
  });
});
