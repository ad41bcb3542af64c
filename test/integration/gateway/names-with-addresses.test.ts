import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, createSecureServer, type Http2Server } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { FakeHostResolver } from '../../support/gateway/fake-host-resolver.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { startStuckListener } from '../../support/gateway/stuck-listener.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type OpensslCertificate, OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const host = 'shop.internal';
const pki = new OpensslCertificates();
const folder = temporaryFolder();
let good: OpensslCertificate;
let wrong: OpensslCertificate;
let caCertFile: string;

beforeAll(() => {
  const root = pki.authority('root');
  good = pki.server('good', { by: root, names: [`DNS:${host}`] });
  wrong = pki.server('wrong', { by: root, names: ['DNS:other.internal'] });
  caCertFile = folder.write('root.pem', root.certificate);
});
afterAll(() => {
  pki.remove();
  folder.remove();
});

type Transport = 'HTTP/1.1' | 'HTTP/2' | 'HTTP/1.1 over TLS' | 'HTTP/2 over TLS' | 'auto';
const transports: readonly Transport[] = ['HTTP/1.1', 'HTTP/2', 'HTTP/1.1 over TLS', 'HTTP/2 over TLS', 'auto'];

const configurationOf = (transport: Transport): Partial<UpstreamConfiguration> => ({
  httpVersion: transport === 'auto' ? 'auto' : transport.startsWith('HTTP/2') ? '2' : '1.1',
  tls:
    transport === 'auto' || transport.endsWith('TLS')
      ? { serverName: null, caCertFile, certificate: null, minVersion: '1.2', verifies: true }
      : null,
});

/** Answers with its address, the method and the body. */
const startServer = async (
  cleanUp: CleanUp,
  transport: Transport,
  address: string,
  port: number,
  certificate = good,
  handshakeMs = 0,
): Promise<void> => {
  const answer = (asked: IncomingMessage, response: ServerResponse): void => {
    const pieces: Buffer[] = [];
    asked.on('data', (piece: Buffer) => pieces.push(piece));
    asked.on('end', () => response.end(`${address} ${asked.method} ${Buffer.concat(pieces)}`));
  };
  const keys = {
    cert: certificate.certificate,
    key: certificate.key,
    SNICallback: (_name: string, done: (error: null) => void) => void setTimeout(done, handshakeMs, null),
  };
  const server = (
    transport === 'HTTP/1.1'
      ? createServer(answer)
      : transport === 'HTTP/2'
        ? createHttp2Server(answer as never)
        : createSecureServer({ ...keys, allowHTTP1: transport !== 'HTTP/2 over TLS' }, answer as never)
  ) as Server | Http2Server;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  cleanUp.add(() => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
};

/** Switches protocols, then answers each piece with `echo:` and the piece. */
const startWebSocketServer = async (cleanUp: CleanUp, address: string, port: number): Promise<void> => {
  const server = createServer();
  const open = new Set<Socket>();
  server.on('upgrade', (_request, socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.on('data', (piece) => socket.write(`echo:${piece}`));
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  cleanUp.add(() => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
};

/** The answer to `hello` in a tunnel. */
const upgraded = ({ url }: InProcessGateway): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const sent = request(`${url}/a`, { headers });
    sent.on('error', reject);
    sent.on('response', ({ statusCode }) => reject(new Error(`status ${statusCode}`)));
    sent.on('upgrade', (_response, socket) => {
      socket.on('error', reject);
      socket.once('data', (piece: Buffer) => {
        socket.destroy();
        resolve(piece.toString());
      });
      socket.write('hello');
    });
    sent.end();
  });

interface GatewayPlan {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly transport?: Transport;
  readonly connectMs?: number;
  readonly changes?: Partial<UpstreamConfiguration>;
}

/** Every request needs a new connection, and there are no retries. */
const startGateway = async (
  cleanUp: CleanUp,
  { port, addresses, transport = 'HTTP/1.1', connectMs = 5_000, changes = {} }: GatewayPlan,
): Promise<InProcessGateway> => {
  const resolver = new FakeHostResolver();
  resolver.set(host, ...addresses);
  const plain = testUpstream(port);
  const upstream: UpstreamConfiguration = {
    ...plain,
    targets: [{ address: { host, port }, weight: 1 }],
    timeouts: { ...plain.timeouts, connectMs },
    maxIdle: 0,
    retries: { ...plain.retries, maxAttempts: 1 },
    ...configurationOf(transport),
    ...changes,
  };
  const gateway = await startInProcess(testConfiguration([upstream]), { resolver });
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const blackHole = async (cleanUp: CleanUp, address: string, port: number): Promise<void> => {
  const listener = await startStuckListener(address, port);
  cleanUp.add(() => listener.close());
};

const ask = async ({ url }: InProcessGateway, init: RequestInit = {}): Promise<string> => {
  const answer = await fetch(`${url}/a`, init);
  return `${answer.status} ${await answer.text()}`;
};

const askTimes = async (
  gateway: InProcessGateway,
  count: number,
  init: RequestInit = {},
): Promise<readonly string[]> => {
  const answers: string[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await ask(gateway, init));
  return answers;
};

const three = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/** The value of a metric without labels that differ. */
const metric = async (gateway: InProcessGateway, name: string): Promise<number> => {
  const lines = (await gateway.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};

describe.each(transports)('a name with three addresses, by %s', (transport) => {
  it('serves every request, though one address refuses and one is silent', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, transport, '127.0.0.2', port);
    await blackHole(cleanUp, '127.0.0.3', port);
    const gateway = await startGateway(cleanUp, { port, addresses: three, transport });
    expect(await askTimes(gateway, 6)).toEqual(Array.from({ length: 6 }, () => '200 127.0.0.2 GET '));
    const posts = await askTimes(gateway, 6, { method: 'POST', body: 'order' });
    expect(posts).toEqual(Array.from({ length: 6 }, () => '200 127.0.0.2 POST order'));
    expect(await metric(gateway, 'gateway_upstream_retries_total')).toBe(0);
    expect(await metric(gateway, 'gateway_upstream_attempts_total')).toBe(12);
  });

  it('answers 502 at once if every address refuses', async ({ cleanUp }) => {
    const port = await freePort();
    const gateway = await startGateway(cleanUp, { port, addresses: three, transport, connectMs: 60_000 });
    expect(await ask(gateway, { method: 'POST', body: 'order' })).toMatch(/^502 .*upstream_unreachable/);
    const { targets } = gateway.state.upstreams()[0] ?? { targets: [] };
    expect(targets.map(({ failedRequests }) => failedRequests)).toEqual([1, 1, 1]);
    expect(await metric(gateway, 'gateway_upstream_attempts_total')).toBe(1);
  });

  it('answers 504 after connect-secs if every address is silent, not after a multiple', async ({ cleanUp }) => {
    const port = await freePort();
    for (const address of three) await blackHole(cleanUp, address, port);
    const gateway = await startGateway(cleanUp, { port, addresses: three, transport, connectMs: 1_000 });
    const beganMs = performance.now();
    expect(await ask(gateway)).toMatch(/^504 .*upstream_timeout/);
    const tookMs = performance.now() - beganMs;
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(2_500);
    // Each learns the end of its own attempt.
    await eventually(() => {
      const { targets } = gateway.state.upstreams()[0] ?? { targets: [] };
      return targets.every(({ failedRequests, activeConnections }) => failedRequests === 1 && activeConnections === 0);
    });
  });
});

describe('many requests at once', () => {
  it.for(transports)(
    'are all served next to a silent and a refusing address, by %s',
    async (transport, { cleanUp }) => {
      const port = await freePort();
      await startServer(cleanUp, transport, '127.0.0.2', port);
      await blackHole(cleanUp, '127.0.0.3', port);
      const addresses = [...three, '127.0.0.4'];
      await startServer(cleanUp, transport, '127.0.0.4', port);
      // Ninety handshakes at once take seconds on a busy machine.
      const gateway = await startGateway(cleanUp, {
        port,
        addresses,
        transport,
        connectMs: 25_000,
        changes: { maxIdle: 20 },
      });
      const answers = await Promise.all(
        Array.from({ length: 90 }, (_, index) => ask(gateway, { method: 'POST', body: `order ${index}` })),
      );
      for (const [index, answer] of answers.entries()) {
        expect(answer).toMatch(new RegExp(`^200 127\\.0\\.0\\.[24] POST order ${index}$`));
      }
      expect(await metric(gateway, 'gateway_upstream_attempts_total')).toBe(90);
      expect(await metric(gateway, 'gateway_upstream_retries_total')).toBe(0);
    },
  );
});

describe.each(transports)('a silent name whose client is gone, by %s', (transport) => {
  it('does not delay the end of the gateway', async ({ cleanUp }) => {
    const port = await freePort();
    for (const address of three) await blackHole(cleanUp, address, port);
    const gateway = await startGateway(cleanUp, { port, addresses: three, transport, connectMs: 60_000 });
    await expect(fetch(gateway.url, { signal: AbortSignal.timeout(400) })).rejects.toThrow();
    await eventually(() => gateway.accessRecords.length === 1);
    const beganMs = performance.now();
    await gateway.stop(20_000);
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  });
});

describe('a name with addresses of both families', () => {
  it('tries the other family after an address that refuses', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '::1', port);
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '::1'];
    const gateway = await startGateway(cleanUp, { port, addresses });
    expect(await ask(gateway)).toBe('200 ::1 GET ');
    const { targets } = gateway.state.upstreams()[0] ?? { targets: [] };
    // At most one IPv4 address was tried before.
    expect(targets.filter(({ failedRequests }) => failedRequests > 0).length).toBe(1);
  });
});

describe('a certificate that does not match', () => {
  it.for(['HTTP/1.1 over TLS', 'HTTP/2 over TLS', 'auto'] as const)(
    'does not give way to the next address, by %s',
    async (transport, { cleanUp }) => {
      const port = await freePort();
      await startServer(cleanUp, transport, '127.0.0.1', port, wrong);
      await startServer(cleanUp, transport, '127.0.0.2', port);
      const gateway = await startGateway(cleanUp, { port, addresses: ['127.0.0.1', '127.0.0.2'], transport });
      const answers = await askTimes(gateway, 4);
      expect(answers.filter((answer) => answer.startsWith('200')).length).toBe(2);
      expect(answers.filter((answer) => answer.startsWith('502')).length).toBe(2);
    },
  );
});

describe('an address that gives way', () => {
  it('replaces the sticky cookie', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.2', port);
    const gateway = await startGateway(cleanUp, {
      port,
      addresses: ['127.0.0.1', '127.0.0.2'],
      changes: { stickyCookie: { name: 'at', maxAgeMs: null } },
    });
    const cookies = new Set<string | null>();
    for (let index = 0; index < 4; index += 1) cookies.add((await fetch(gateway.url)).headers.get('set-cookie'));
    expect(cookies.size).toBe(1);
    const cookie = [...cookies][0]?.split(';')[0] ?? '';
    const known = await fetch(gateway.url, { headers: { cookie } });
    expect([known.status, known.headers.get('set-cookie')]).toEqual([200, null]);
  });

  it('works with a consistent hash', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.2', port);
    const balancing = { kind: 'consistent_hash', key: { kind: 'header', name: 'x-key' } } as const;
    const gateway = await startGateway(cleanUp, { port, addresses: three, changes: { balancing } });
    for (let key = 0; key < 8; key += 1) {
      expect(await ask(gateway, { headers: { 'x-key': `${key}` } })).toBe('200 127.0.0.2 GET ');
    }
  });

  it('skips an address that is drained', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.2', port);
    const gateway = await startGateway(cleanUp, { port, addresses: ['127.0.0.1', '127.0.0.2'] });
    const [upstream] = gateway.state.upstreams();
    expect(gateway.state.drainTarget(upstream?.name ?? '', `127.0.0.2:${port}`, true)).toMatchObject({ drained: true });
    expect(await ask(gateway)).toMatch(/^502 /);
  });

  it('loses nothing of a streamed body', async ({ cleanUp }) => {
    const port = await freePort();
    await blackHole(cleanUp, '127.0.0.1', port);
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.3', port);
    const gateway = await startGateway(cleanUp, { port, addresses: three });
    const sent = Array.from({ length: 40 }, (_, index) => `${index}:${'x'.repeat(9_000)};`);
    for (let times = 0; times < 3; times += 1) {
      const body = Readable.toWeb(Readable.from(sent.map((piece) => Buffer.from(piece)))) as ReadableStream<Uint8Array>;
      const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
      expect(await ask(gateway, init)).toBe(`200 127.0.0.3 POST ${sent.join('')}`);
    }
  });

  it('gets the request when its connection opens first after all', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1 over TLS', '127.0.0.1', port, good, 600);
    await blackHole(cleanUp, '127.0.0.2', port);
    const gateway = await startGateway(cleanUp, {
      port,
      addresses: ['127.0.0.1', '127.0.0.2'],
      transport: 'HTTP/1.1 over TLS',
    });
    expect(await askTimes(gateway, 2)).toEqual(['200 127.0.0.1 GET ', '200 127.0.0.1 GET ']);
  });

  it('passes a WebSocket on', async ({ cleanUp }) => {
    const port = await freePort();
    await startWebSocketServer(cleanUp, '127.0.0.2', port);
    await blackHole(cleanUp, '127.0.0.3', port);
    const gateway = await startGateway(cleanUp, { port, addresses: three });
    for (let times = 0; times < 3; times += 1) expect(await upgraded(gateway)).toBe('echo:hello');
  });

  it('counts for its breaker, which ejects it', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.2', port);
    const changes = { targetBreaker: { failureThreshold: 3, openMs: 60_000, probes: 1 } };
    const gateway = await startGateway(cleanUp, { port, addresses: ['127.0.0.1', '127.0.0.2'], changes });
    await askTimes(gateway, 12);
    const { targets } = gateway.state.upstreams()[0] ?? { targets: [] };
    expect(targets.map(({ breaker, failedRequests }) => [breaker, failedRequests])).toEqual([
      ['open', 3],
      ['closed', 0],
    ]);
  });

  it('leaves no request behind if the client is gone', async ({ cleanUp }) => {
    const port = await freePort();
    for (const address of three) await blackHole(cleanUp, address, port);
    const gateway = await startGateway(cleanUp, { port, addresses: three, connectMs: 1_000 });
    const signal = AbortSignal.timeout(400);
    await expect(fetch(gateway.url, { signal })).rejects.toThrow();
    await eventually(() => {
      const { targets } = gateway.state.upstreams()[0] ?? { targets: [] };
      return targets.every(({ activeConnections }) => activeConnections === 0);
    });
  });

  it('gives way also where a kept connection was lost', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.1', port);
    const other = new Set<Socket>();
    const dying = createServer((_request, response) => response.end('dying')).on('connection', (socket) => {
      other.add(socket);
    });
    await new Promise<void>((resolve) => dying.listen(port, '127.0.0.2', resolve));
    const gateway = await startGateway(cleanUp, {
      port,
      addresses: ['127.0.0.1', '127.0.0.2'],
      changes: { maxIdle: 20 },
    });
    await askTimes(gateway, 4);
    for (const socket of other) socket.resetAndDestroy();
    await new Promise<void>((resolve) => dying.close(() => resolve()));
    const answers = await askTimes(gateway, 6, { method: 'POST', body: 'order' });
    expect(new Set(answers)).toEqual(new Set(['200 127.0.0.1 POST order']));
  });

  it('queues at a busy address if no other can be connected to', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.2', port);
    const gateway = await startGateway(cleanUp, {
      port,
      addresses: ['127.0.0.1', '127.0.0.2'],
      changes: { maxConnections: 1 },
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(gateway)));
    expect(new Set(answers)).toEqual(new Set(['200 127.0.0.2 GET ']));
  });

  it('is retried on another name only within the retry rules', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.9', port);
    const targets = [host, '127.0.0.9'].map((each) => ({ address: { host: each, port }, weight: 1 }));
    const retries = { ...testUpstream(port).retries, maxAttempts: 2 };
    const gateway = await startGateway(cleanUp, { port, addresses: three, changes: { targets, retries } });
    expect(await askTimes(gateway, 2)).toEqual(['200 127.0.0.9 GET ', '200 127.0.0.9 GET ']);
    expect(await metric(gateway, 'gateway_upstream_retries_total')).toBe(1);
    expect(await metric(gateway, 'gateway_upstream_attempts_total')).toBe(3);
  });

  it('holds no connection for a client that is slow with its body', async ({ cleanUp }) => {
    const port = await freePort();
    await startServer(cleanUp, 'HTTP/1.1', '127.0.0.2', port);
    const gateway = await startGateway(cleanUp, {
      port,
      addresses: ['127.0.0.1', '127.0.0.2'],
      changes: { maxConnections: 1, maxIdle: 20 },
    });
    const slow = request(`${gateway.url}/a`, { method: 'POST', headers: { 'content-length': '4' } });
    const answer = new Promise<string>((resolve, reject) => {
      slow.on('error', reject);
      slow.on('response', (response) => response.once('data', (piece: Buffer) => resolve(piece.toString())));
    });
    slow.flushHeaders();
    await eventually(() =>
      (gateway.state.upstreams()[0]?.targets ?? []).some(({ totalRequests }) => totalRequests > 0),
    );
    expect(await ask(gateway)).toBe('200 127.0.0.2 GET ');
    slow.end('late');
    expect(await answer).toBe('127.0.0.2 POST late');
  });
});
