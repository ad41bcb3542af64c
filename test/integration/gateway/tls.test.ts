import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';
import type {
  GatewayConfiguration,
  ListenerConfiguration,
  TlsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import { type Echo, echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { jsonOf, tlsCall, tlsConnection } from '../../support/gateway/tls-call.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const pki = new OpensslCertificates();
let root: OpensslCertificate;
let client: OpensslCertificate;
let tls: TlsConfiguration;
let upstream: HttpUpstream;
let gateway: InProcessGateway;
let judged: FakeAgentService;

beforeAll(() => {
  root = pki.authority('root');
  const server = pki.server('server', { by: root, names: ['DNS:a.example'] });
  client = pki.client('client', { by: root });
  tls = {
    certificates: [
      { certFile: folder.write('server.pem', pemChain(server)), keyFile: folder.write('server.key', server.key) },
    ],
    clientAuth: 'request',
    caCertFile: folder.write('root.pem', root.certificate),
    forwardClientCertHeader: 'X-Peer-Cert',
    minVersion: '1.2',
  };
});
afterAll(() => {
  pki.remove();
  folder.remove();
});

const listener = (name: string, changes: Partial<ListenerConfiguration> = {}): ListenerConfiguration => ({
  name,
  address: { host: '127.0.0.1', port: 0 },
  tls: null,
  trustedProxies: [],
  proxyProtocol: false,
  acceptClientCertHeader: null,
  http2: false,
  timeouts: plainTimeouts,
  ...changes,
});

const listeners = (): readonly ListenerConfiguration[] => [
  listener('main', { tls }),
  listener('plain'),
  listener('behind', { trustedProxies: ['127.0.0.1'], proxyProtocol: false, acceptClientCertHeader: 'Client-Cert' }),
  listener('untrusting', { proxyProtocol: false, acceptClientCertHeader: 'Client-Cert' }),
];

const start = async (
  cleanUp: CleanUp,
  handle = echo,
  changes: Partial<GatewayConfiguration> = {},
): Promise<InProcessGateway> => {
  upstream = await startHttpUpstream(handle);
  cleanUp.add(() => upstream.close());
  judged = new FakeAgentService();
  const configuration = testConfiguration([testUpstream(upstream.port)], { listeners: listeners(), ...changes });
  gateway = await startInProcess(configuration, {
    engineLimits: { handshakeTimeoutMs: 300 },
    createAgent: ({ name, timeoutMs, config }) =>
      new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        judged,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      ),
  });
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const addressOf = (name: string): SocketAddress => gateway.gateway.addresses().listeners.get(name) as SocketAddress;

const trusting = () => ({ ca: root.certificate, servername: 'a.example' });
const identified = () => ({ ...trusting(), cert: client.certificate, key: client.key });

const request = (...fields: readonly string[]): string =>
  ['GET /x HTTP/1.1', 'Host: a.example', 'Connection: close', ...fields, '', ''].join('\r\n');

/** What the upstream got under a name, in lower case. */
const received = (body: Echo | Record<string, unknown>, name: string): readonly string[] => {
  const { rawHeaders } = body as Echo;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
};

const namesOf = (body: Echo | Record<string, unknown>): readonly string[] =>
  (body as Echo).rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());

const subjectOf = (header: string | undefined): string => new X509Certificate(decodeURIComponent(header ?? '')).subject;

/** With a route that an agent judges, or without. */
const withAgent = (): Partial<GatewayConfiguration> => ({
  agents: [testAgent('auth')],
  routes: [testRoute({ agents: ['auth'] })],
});

describe('a request over TLS', () => {
  it('is forwarded with the scheme https', async ({ cleanUp }) => {
    await start(cleanUp);
    const body = jsonOf(await tlsCall(addressOf('main'), trusting(), request()));
    expect(received(body, 'x-forwarded-proto')).toEqual(['https']);
    expect(received(body, 'forwarded')).toEqual([expect.stringContaining('proto=https')]);
    const plain = JSON.parse((await rawExchange(addressOf('plain'), request())).body) as Echo;
    expect(received(plain, 'x-forwarded-proto')).toEqual(['http']);
  });

  it('is passed to agents with the negotiated TLS', async ({ cleanUp }) => {
    await start(cleanUp, echo, withAgent());
    await tlsCall(addressOf('main'), trusting(), request());
    await rawExchange(addressOf('plain'), request());
    const told = judged.events.map((event) => (event.kind === 'request_headers' ? event.metadata : null));
    expect(told).toMatchObject([
      { serverName: 'a.example', tlsVersion: 'TLSv1.3', tlsCipher: 'TLS_AES_128_GCM_SHA256' },
      { serverName: 'a.example', tlsVersion: null, tlsCipher: null },
    ]);
  });

  it('carries a large body in both directions', async ({ cleanUp }) => {
    await start(cleanUp, (message, response) => {
      message.pipe(response);
    });
    const socket = await tlsConnection(addressOf('main'), trusting());
    const body = randomBytes(3_000_000);
    const digest = createHash('sha256');
    let octets = 0;
    let head = '';
    const done = new Promise<void>((resolve) => {
      socket.on('data', (piece: Buffer) => {
        let rest = piece;
        if (!head.includes('\r\n\r\n')) {
          const text = head + piece.toString('latin1');
          const end = text.indexOf('\r\n\r\n');
          rest = end < 0 ? Buffer.alloc(0) : piece.subarray(end + 4 - head.length);
          head = text;
        }
        octets += rest.length;
        digest.update(rest);
        if (octets >= body.length) resolve();
      });
    });
    socket.write(`POST / HTTP/1.0\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
    await done;
    expect(octets).toBe(body.length);
    expect(digest.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
    socket.destroy();
  });

  it('releases the upstream when its client disconnects', async ({ cleanUp }) => {
    let arrived!: () => void;
    let released!: () => void;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const release = new Promise<void>((resolve) => {
      released = resolve;
    });
    await start(cleanUp, (_, response) => {
      arrived();
      response.once('close', released);
    });
    const socket = await tlsConnection(addressOf('main'), trusting());
    socket.write(request());
    await arrival;
    socket.destroy();
    await release;
    await expect.poll(() => gateway.state.requestsInFlight()).toBe(0);
    await expect.poll(() => gateway.state.openConnections()).toBe(0);
    expect(gateway.accessRecords).toMatchObject([{ status: 499, errorType: 'client_gone' }]);
  });

  it('with a truncated response is visibly incomplete', async ({ cleanUp }) => {
    await start(cleanUp, (_, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('some of it');
      setImmediate(() => response.destroy());
    });
    const { text } = await tlsCall(addressOf('main'), trusting(), request());
    expect(text).toContain('Content-Length: 100');
    expect(text).not.toContain('problem+json');
  });

  it('that is malformed gets a response', async ({ cleanUp }) => {
    await start(cleanUp);
    const { status, text } = await tlsCall(addressOf('main'), trusting(), 'GET / HTTP/9.9\r\n\r\n');
    expect(status).toBe(400);
    expect(text).toContain('malformed_request');
  });

  it('may upgrade to a WebSocket', async ({ cleanUp }) => {
    await start(cleanUp);
    const sockets = new WebSocketServer({ server: upstream.server });
    cleanUp.add(() => sockets.clients.forEach((each) => each.terminate()));
    sockets.on('connection', (socket, asked) => {
      socket.send(`${asked.headers['x-forwarded-proto']} ${subjectOf(String(asked.headers['x-peer-cert']))}`);
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    const { port } = addressOf('main');
    const socket = new WebSocket(`wss://127.0.0.1:${port}/chat`, identified());
    const first = await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('message', (data) => resolve(data.toString()));
    });
    expect(first).toBe('https CN=client');
    const large = randomBytes(1_000_000);
    socket.send(large);
    const back = await new Promise<Buffer>((resolve) => socket.once('message', (data) => resolve(data as Buffer)));
    expect(back.equals(large)).toBe(true);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close();
    await closed;
    await expect.poll(() => gateway.state.openConnections()).toBe(0);
  });
});

describe('a handshake that fails', () => {
  it('causes one log line and no request', async ({ cleanUp }) => {
    await start(cleanUp);
    await rawExchange(addressOf('main'), request());
    await rawExchange(addressOf('main'), '\x16\x03\x01');
    const about = gateway.logger.lines.filter(({ message }) => message === 'TLS handshake failed');
    const key = expect.stringContaining('127.0.0.1:0') as unknown;
    expect(about).toEqual([
      {
        level: 'info',
        message: 'TLS handshake failed',
        fields: { listener: key, client_ip: '127.0.0.1', code: 'ERR_SSL_HTTP_REQUEST' },
      },
      {
        level: 'info',
        message: 'TLS handshake failed',
        fields: { listener: key, client_ip: '127.0.0.1', code: 'ERR_TLS_HANDSHAKE_TIMEOUT' },
      },
    ]);
    expect(gateway.accessRecords).toEqual([]);
  });
});

const forgeries = [
  'X-Peer-Cert',
  'x-peer-cert',
  'X_Peer_Cert',
  'x-peer_cert',
  'X.PEER.CERT',
  'Client-Cert',
  'client_cert',
  'Client-Cert-Chain',
  'CLIENT_CERT_CHAIN',
];
const looksOwned = /^(x.peer.cert|client.cert(.chain)?)$/;

describe.each([
  ['without agents', false],
  ['with an agent', true],
])('the certificate of the client, on a route %s', (_, hasAgent) => {
  const begin = (cleanUp: CleanUp) => start(cleanUp, echo, hasAgent ? withAgent() : {});

  it('reaches the upstream in the configured header', async ({ cleanUp }) => {
    await begin(cleanUp);
    const body = jsonOf(await tlsCall(addressOf('main'), identified(), request()));
    expect(received(body, 'x-peer-cert').map(subjectOf)).toEqual(['CN=client']);
    expect(judged.events.length).toBe(hasAgent ? 1 : 0);
    for (const event of judged.events) {
      if (event.kind !== 'request_headers') throw new Error('another event');
      const index = event.headers.indexOf('x-peer-cert');
      expect(subjectOf(event.headers[index + 1])).toBe('CN=client');
      expect(event.headers.lastIndexOf('x-peer-cert')).toBe(index);
    }
  });

  it.for(forgeries)('cannot be forged as %s', async (name, { cleanUp }) => {
    await begin(cleanUp);
    const forged = request(`${name}: forged`, `Connection: ${name}, close`, `${name}: forged again`);
    const answers = [
      JSON.parse((await rawExchange(addressOf('plain'), forged)).body) as Echo,
      JSON.parse((await rawExchange(addressOf('untrusting'), forged)).body) as Echo,
      jsonOf(await tlsCall(addressOf('main'), trusting(), forged)),
    ];
    for (const answer of answers) expect(namesOf(answer).filter((each) => looksOwned.test(each))).toEqual([]);
    const proved = jsonOf(await tlsCall(addressOf('main'), identified(), forged));
    expect(namesOf(proved).filter((each) => looksOwned.test(each))).toEqual(['x-peer-cert']);
    expect(received(proved, 'x-peer-cert').map(subjectOf)).toEqual(['CN=client']);
    expect(JSON.stringify(judged.events)).not.toContain('forged');
  });

  it('is accepted from a trusted proxy, only in the header of its listener', async ({ cleanUp }) => {
    await begin(cleanUp);
    const brought = request(
      'client-cert: :AAAA:',
      'Client-Cert-Chain: :BBBB:',
      'X-Peer-Cert: forged',
      'Client_Cert: forged',
    );
    const body = JSON.parse((await rawExchange(addressOf('behind'), brought)).body) as Echo;
    expect(received(body, 'client-cert')).toEqual([':AAAA:']);
    expect(received(body, 'client-cert-chain')).toEqual([':BBBB:']);
    expect(namesOf(body).filter((each) => looksOwned.test(each))).toEqual(['client-cert', 'client-cert-chain']);
  });
});

describe('a route that matches the certificate header', () => {
  it('is refused in a configuration, and no client header would match it', async ({ cleanUp }) => {
    const matches = { ...testRoute().matches, headers: [{ name: 'x-peer-cert', value: null }] };
    const inner = testRoute({ id: 'certified', priority: 100, matches });
    await start(cleanUp, echo, { routes: [inner, testRoute()] });
    await tlsCall(addressOf('main'), identified(), request());
    await tlsCall(addressOf('main'), trusting(), request('X-Peer-Cert: forged'));
    await rawExchange(addressOf('plain'), request('X-Peer-Cert: forged'));
    await expect.poll(() => gateway.accessRecords.map(({ route }) => route)).toEqual(['all', 'all', 'all']);
  });
});

describe('a reload', () => {
  it('changes client authorities for new connections on the same port', async ({ cleanUp }) => {
    await start(cleanUp);
    const address = addressOf('main');
    const other = pki.authority('other');
    const changed = { ...tls, caCertFile: folder.write('other.pem', other.certificate) };
    const configuration = testConfiguration([testUpstream(upstream.port)], {
      listeners: [listener('main', { tls: changed })],
    });
    expect(await tlsCall(address, identified(), request())).toMatchObject({ status: 200 });
    expect(await gateway.reload(configuration)).toMatchObject({ ok: true });
    expect(addressOf('main')).toEqual(address);
    expect((await tlsCall(address, identified(), request())).text).toBe('');
    expect(await tlsCall(address, trusting(), request())).toMatchObject({ status: 200 });
  });
});
