import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { afterEach, describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type {
  GatewayConfiguration,
  ListenerConfiguration,
  TlsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { tlsCall, tlsConnection } from '../../support/gateway/tls-call.js';
import { it } from '../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const pki = new OpensslCertificates();
let upstream: HttpUpstream;
let root: OpensslCertificate;
let first: OpensslCertificate;
let second: OpensslCertificate;
let expired: OpensslCertificate;
let partners: OpensslCertificate;
let others: OpensslCertificate;
let ofPartners: OpensslCertificate;
let ofOthers: OpensslCertificate;
let gateway: InProcessGateway | null = null;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  cleanUp.add(() => folder.remove());
  cleanUp.add(() => pki.remove());
  const dayMs = 86_400_000;
  root = pki.authority('root');
  first = pki.server('first', { by: root, names: ['DNS:first.example', 'DNS:*.shop.example'] });
  second = pki.server('second', { by: root, names: ['DNS:second.example', 'DNS:pay.shop.example'] });
  const validity = [Date.now() - 20 * dayMs, Date.now() - 2 * dayMs] as const;
  expired = pki.server('expired', { by: root, names: ['DNS:first.example'], validity });
  partners = pki.authority('partners');
  others = pki.authority('others');
  ofPartners = pki.client('alice', { by: partners });
  ofOthers = pki.client('bob', { by: others });
  upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
});
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
});

/** Writes a certificate and its key, in the place of those that had the name before. */
const files = (name: string, { certificate, key }: OpensslCertificate) => ({
  certFile: folder.write(`${name}.pem`, certificate),
  keyFile: folder.write(`${name}.key`, key),
});

const listening = (tls: Partial<TlsConfiguration> | null): ListenerConfiguration => ({
  name: 'main',
  address: { host: '127.0.0.1', port: 0 },
  tls: tls && {
    certificates: [],
    clientAuth: 'none',
    caCertFile: null,
    forwardClientCertHeader: null,
    minVersion: '1.2',
    ...tls,
  },
  trustedProxies: [],
  proxyProtocol: false,
  acceptClientCertHeader: null,
  http2: false,
  timeouts: plainTimeouts,
});

const configured = (
  tls: Partial<TlsConfiguration> | null,
  changes: Partial<GatewayConfiguration> = {},
): GatewayConfiguration =>
  testConfiguration([testUpstream(upstream.port)], { listeners: [listening(tls)], ...changes });

const start = async (tls: Partial<TlsConfiguration> | null): Promise<InProcessGateway> => {
  gateway = await startInProcess(configured(tls));
  return gateway;
};

const trusting = (more: ConnectionOptions = {}): ConnectionOptions => ({
  ca: root.certificate,
  servername: 'first.example',
  ...more,
});

/** Common name of the certificate that is shown to a client that asks for this server. */
const shown = async ({ address }: InProcessGateway, servername = 'first.example'): Promise<unknown> => {
  const socket = await tlsConnection(address, trusting({ servername, checkServerIdentity: () => undefined }));
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
};

const keptRequest = 'GET /kept HTTP/1.1\r\nHost: first.example\r\nConnection: close\r\n\r\n';

/** A request on a connection that stands; its status. */
const askOn = (socket: Socket): Promise<number> =>
  new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('data', (data: Buffer) => resolve(Number(data.toString('latin1').slice(9, 12))));
    socket.write('GET /kept HTTP/1.1\r\nHost: first.example\r\n\r\n');
  });

const messagesOf = (outcome: Awaited<ReturnType<InProcessGateway['reload']>>): readonly string[] =>
  outcome.ok ? [] : outcome.error.problems.map(({ message }) => message);

describe('the certificate of a listener', () => {
  it('is replaced for new connections, and open ones stay', async () => {
    const certificates = [files('main', first)];
    const running = await start({ certificates });
    const standing = await tlsConnection(running.address, trusting());
    expect(await shown(running)).toBe('first');
    files('main', second);
    expect(await running.reload(configured({ certificates }))).toMatchObject({ ok: true });
    expect(await shown(running)).toBe('second');
    expect(await askOn(standing)).toBe(200);
    expect(standing.getPeerCertificate().subject.CN).toBe('first');
    standing.destroy();
  });

  it('stays if the new one does not match its key; the error names the files and not the key', async () => {
    const certificates = [files('main', first)];
    const running = await start({ certificates });
    folder.write('main.pem', second.certificate);
    const refused = await running.reload(configured({ certificates }, { routes: [testRoute({ id: 'other' })] }));
    expect(messagesOf(refused)).toEqual([
      expect.stringContaining(
        `listener "main": cert-file ${folder.file('main.pem')} with key-file ${folder.file('main.key')}: `,
      ),
    ]);
    const keyLines = readFileSync(folder.file('main.key'), 'utf8')
      .split('\n')
      .filter((line) => line.length > 30);
    expect(keyLines.length).toBeGreaterThan(0);
    for (const line of keyLines) expect(JSON.stringify([refused, running.logger.lines])).not.toContain(line);
    expect(running.state.routesInOrder().map(({ id }) => id)).toEqual(['all']);
    expect(await shown(running)).toBe('first');
    expect(await running.metrics()).toMatch(/gateway_config_reloads_total\{[^}]*result="failure"[^}]*\} 1/);
  });

  it.each([
    ['is no key', (): string => 'nothing of a key'],
    ['is a certificate', (): string => first.certificate],
    ['is cut off', (): string => first.key.slice(0, 90)],
  ])('stays if the new key file %s', async (_what, text) => {
    const certificates = [files('main', first)];
    const running = await start({ certificates });
    folder.write('main.key', text());
    expect(messagesOf(await running.reload(configured({ certificates })))).toHaveLength(1);
    expect(await shown(running)).toBe('first');
  });

  it('stays if another part of the new configuration fails', async () => {
    const certificates = [files('main', first)];
    const running = await start({ certificates });
    files('main', second);
    const taken = { ...listening(null), name: 'second', address: { host: '127.0.0.1', port: upstream.port } };
    const listeners = [listening({ certificates }), taken];
    expect(await running.reload(configured({ certificates }, { listeners }))).toMatchObject({
      ok: false,
      error: { cause: { code: 'EADDRINUSE' } },
    });
    expect(await shown(running)).toBe('first');
    expect(await running.reload(configured({ certificates }))).toMatchObject({ ok: true });
    expect(await shown(running)).toBe('second');
  });

  it('that is unreadable prevents the start, and every such file is named', async () => {
    const missing = { certFile: folder.file('no.pem'), keyFile: folder.file('no.key') };
    await expect(start({ certificates: [files('main', first), missing] })).rejects.toThrow(
      /cert-file: the file \S+no\.pem cannot be read[\s\S]*key-file: the file \S+no\.key cannot be read/,
    );
  });

  it('that has expired is served with a warning', async () => {
    const running = await start({ certificates: [files('main', expired)] });
    const warnings = running.logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual([expect.stringMatching(/^listener "main": .*expired.* on \w{3} +\d+ .*\d{4} GMT/)]);
    const unchecked = await tlsConnection(running.address, { rejectUnauthorized: false });
    expect(unchecked.getPeerCertificate().subject.CN).toBe('expired');
    unchecked.destroy();
  });

  it('is selected by server name', async () => {
    const certificates = [files('main', first), files('more', second)];
    const running = await start({ certificates });
    const names = [
      'first.example',
      'second.example',
      'SECOND.Example',
      'a.shop.example',
      'pay.shop.example',
      'x.example',
    ];
    const found: unknown[] = [];
    for (const name of names) found.push(await shown(running, name));
    expect(found).toEqual(['first', 'second', 'second', 'first', 'second', 'first']);
    await running.reload(configured({ certificates: [...certificates].reverse() }));
    expect(await shown(running, 'x.example')).toBe('second');
    expect(await shown(running, 'first.example')).toBe('first');
  });
});

describe('a listener with a changed protocol', () => {
  const plainRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  it('uses the new one on the same port, in both directions', async () => {
    const running = await start(null);
    expect((await rawExchange(running.address, plainRequest)).status).toBe(200);
    const secured = configured({ certificates: [files('main', first)] });
    expect(await running.reload(secured)).toMatchObject({ ok: true });
    expect(running.gateway.addresses().listeners.get('main')).toEqual(running.address);
    expect(await tlsCall(running.address, trusting())).toMatchObject({ status: 200, error: null });
    expect((await rawExchange(running.address, plainRequest)).raw).not.toContain('HTTP/1.1 200');
    expect(await running.reload(configured(null))).toMatchObject({ ok: true });
    expect((await rawExchange(running.address, plainRequest)).status).toBe(200);
    expect((await tlsCall(running.address, trusting())).status).toBeNull();
  });

  it('from http to https serves no more plain connections', async () => {
    const running = await start(null);
    const plain = connectPlain(running.address.port, '127.0.0.1');
    expect(await askOn(plain)).toBe(200);
    const closed = new Promise((resolve) => plain.once('close', resolve));
    expect(await running.reload(configured({ certificates: [files('main', first)] }))).toMatchObject({ ok: true });
    await closed;
  });

  it('forwards the scheme of each connection', async () => {
    const running = await start({ certificates: [files('main', first)] });
    const { text } = await tlsCall(running.address, trusting());
    expect(text).toContain('"X-Forwarded-Proto","https"');
  });

  it('keeps the old one if the new one fails', async () => {
    const running = await start(null);
    const certificates = [{ certFile: folder.file('no.pem'), keyFile: folder.file('no.key') }];
    expect(messagesOf(await running.reload(configured({ certificates })))).toHaveLength(2);
    expect((await rawExchange(running.address, plainRequest)).status).toBe(200);
  });
});

describe('the authorities of clients', () => {
  const requiring = (authority: OpensslCertificate): Partial<TlsConfiguration> => ({
    certificates: [files('main', first)],
    clientAuth: 'require',
    caCertFile: folder.write('clients.pem', authority.certificate),
    forwardClientCertHeader: 'X-Client-Cert',
  });
  const showing = (shown: OpensslCertificate): ConnectionOptions => trusting({ cert: pemChain(shown), key: shown.key });

  it('are replaced: clients of the old ones are refused and disconnected', async () => {
    const running = await start(requiring(partners));
    expect((await tlsCall(running.address, showing(ofPartners))).status).toBe(200);
    expect((await tlsCall(running.address, showing(ofOthers))).status).toBeNull();
    const standing = await tlsConnection(running.address, showing(ofPartners));
    expect(await askOn(standing)).toBe(200);
    const closed = new Promise((resolve) => standing.once('close', resolve));
    expect(await running.reload(configured(requiring(others)))).toMatchObject({ ok: true });
    await closed;
    expect((await tlsCall(running.address, showing(ofPartners))).status).toBeNull();
    expect((await tlsCall(running.address, showing(ofOthers))).status).toBe(200);
    expect((await tlsCall(running.address, trusting())).status).toBeNull();
  });

  it('that become required end connections without a certificate, after responses in flight', async ({ cleanUp }) => {
    const held: ServerResponse[] = [];
    const slow = await startHttpUpstream((request, response) => {
      if (request.url === '/kept') response.end('at once');
      else held.push(response);
    });
    cleanUp.add(() => slow.close());
    const to = (tls: Partial<TlsConfiguration>) =>
      testConfiguration([testUpstream(slow.port)], { listeners: [listening(tls)] });
    gateway = await startInProcess(to({ certificates: [files('main', first)] }));
    const { address, reload } = gateway;
    const idle = await tlsConnection(address, trusting());
    expect(await askOn(idle)).toBe(200);
    const closed = new Promise((resolve) => idle.once('close', resolve));
    const inFlight = tlsCall(address, trusting(), 'GET /slow HTTP/1.1\r\nHost: first.example\r\n\r\n');
    await expect.poll(() => held.length).toBe(1);
    expect(await reload(to(requiring(partners)))).toMatchObject({ ok: true });
    await closed;
    held[0]?.end('ended');
    const { status, text } = await inFlight;
    expect(status).toBe(200);
    expect(text).toMatch(/\r\nConnection: close\r\n[\s\S]*ended/);
    expect((await tlsCall(address, trusting())).status).toBeNull();
    expect((await tlsCall(address, showing(ofPartners), keptRequest)).status).toBe(200);
  });

  it('that are reloaded unchanged keep every connection', async () => {
    const running = await start(requiring(partners));
    const standing = await tlsConnection(running.address, showing(ofPartners));
    expect(await askOn(standing)).toBe(200);
    for (let round = 0; round < 3; round += 1) {
      expect(await running.reload(configured(requiring(partners)))).toMatchObject({ ok: true });
      expect(await askOn(standing)).toBe(200);
    }
    const renewed = { ...requiring(partners), certificates: [files('more', second)] };
    expect(await running.reload(configured(renewed))).toMatchObject({ ok: true });
    expect(await askOn(standing)).toBe(200);
    standing.destroy();
  });

  it('are replaced without losing requests in flight, which get Connection: close', async ({ cleanUp }) => {
    const held: ServerResponse[] = [];
    const slow = await startHttpUpstream((_, response) => void held.push(response));
    cleanUp.add(() => slow.close());
    const to = (authority: OpensslCertificate) =>
      testConfiguration([testUpstream(slow.port)], { listeners: [listening(requiring(authority))] });
    gateway = await startInProcess(to(partners));
    const { address, reload } = gateway;
    const keepAlive = 'GET / HTTP/1.1\r\nHost: first.example\r\n\r\n';
    // Each call ends with its connection, which nobody but the gateway has a reason to end.
    const calls = Array.from({ length: 20 }, () => tlsCall(address, showing(ofPartners), keepAlive));
    await expect.poll(() => held.length).toBe(20);
    held.slice(0, 10).forEach((response) => void response.writeHead(200).write('begun, '));
    expect(await reload(to(others))).toMatchObject({ ok: true });
    for (const response of held) response.end('ended');
    for (const [index, { status, text }] of (await Promise.all(calls)).entries()) {
      expect(status).toBe(200);
      if (index >= 10) expect(text).toMatch(/\r\nConnection: close\r\n/);
      expect(text).toContain('ended');
    }
  });

  it('are replaced: an endless response lasts up to the grace period', async ({ cleanUp }) => {
    const endless = await startHttpUpstream((_, response) => void response.writeHead(200).write('the first event'));
    cleanUp.add(() => endless.close());
    const system = { ...testConfiguration([]).system, gracefulShutdownTimeoutMs: 100 };
    const to = (authority: OpensslCertificate) =>
      testConfiguration([testUpstream(endless.port)], { system, listeners: [listening(requiring(authority))] });
    gateway = await startInProcess(to(partners));
    const socket = await tlsConnection(gateway.address, showing(ofPartners));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    expect(await askOn(socket)).toBe(200);
    socket.resume();
    expect(await gateway.reload(to(others))).toMatchObject({ ok: true });
    await closed;
    await expect.poll(() => gateway?.state.requestsInFlight()).toBe(0);
  });

  it('are replaced: a WebSocket of an old client ends at once', async ({ cleanUp }) => {
    const { port, server: httpServer, close } = await startHttpUpstream(echo);
    cleanUp.add(close);
    const server = new WebSocketServer({ server: httpServer });
    server.on('connection', (socket) => socket.send('open'));
    const to = (authority: OpensslCertificate) =>
      testConfiguration([testUpstream(port)], {
        listeners: [listening({ ...requiring(authority), clientAuth: 'request' })],
      });
    gateway = await startInProcess(to(partners));
    const url = `wss://127.0.0.1:${gateway.address.port}/`;
    const open = async (options: ConnectionOptions): Promise<WebSocket> => {
      const socket = new WebSocket(url, options);
      await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
      return socket;
    };
    const [known, anonymous] = [await open(showing(ofPartners)), await open(trusting())];
    const closed = new Promise<number>((resolve) => known.once('close', resolve));
    const upstreamClosed = new Promise((resolve) => [...server.clients][0]?.once('close', resolve));
    expect(await gateway.reload(to(others))).toMatchObject({ ok: true });
    // RFC 6455, section 7.1.5: it ended without a word of WebSocket.
    expect(await closed).toBe(1006);
    await upstreamClosed;
    const answer = new Promise((resolve) => anonymous.once('pong', resolve));
    anonymous.ping();
    await answer;
    anonymous.terminate();
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('cannot be outlived by a session of %s', async (maxVersion) => {
    const running = await start(requiring(partners));
    const alice = { ...showing(ofPartners), maxVersion };
    const socket = await tlsConnection(running.address, alice);
    expect(await askOn(socket)).toBe(200);
    const session = socket.getSession();
    socket.destroy();
    if (session === undefined) throw new Error('the client has no session to show');
    const again = await tlsCall(running.address, { ...alice, session });
    expect(again).toMatchObject({ status: 200, isResumed: false, version: maxVersion });
    expect(await running.reload(configured(requiring(others)))).toMatchObject({ ok: true });
    expect((await tlsCall(running.address, { ...alice, session })).status).toBeNull();
  });

  it('stay if the new file contains none', async () => {
    const running = await start(requiring(partners));
    const broken = { ...requiring(partners), caCertFile: folder.write('broken.pem', 'none at all') };
    expect(messagesOf(await running.reload(configured(broken)))).toEqual([
      expect.stringContaining(`listener "main": ca-cert-file ${folder.file('broken.pem')}: `),
    ]);
    expect((await tlsCall(running.address, showing(ofPartners))).status).toBe(200);
    expect((await tlsCall(running.address, showing(ofOthers))).status).toBeNull();
  });

  it('apply together with the header: the verified certificate is forwarded, not a claimed one', async () => {
    const running = await start({ certificates: [files('main', first)] });
    expect(await running.reload(configured(requiring(partners)))).toMatchObject({ ok: true });
    const request =
      'GET / HTTP/1.1\r\nHost: a\r\nx_client-cert: forged\r\nX-Client-Cert: forged\r\nConnection: close\r\n\r\n';
    const { status, text } = await tlsCall(running.address, showing(ofPartners), request);
    expect(status).toBe(200);
    expect(text).toContain('"X-Client-Cert","-----BEGIN%20CERTIFICATE-----');
    expect(text).not.toContain('forged');
  });
});
