import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import { upstreamTlsPreparer } from '../../../../../src/adapters/tls-sockets/upstream-tls-context.js';
import type { ProbedTarget } from '../../../../../src/application/ports/gateway/health-prober.js';
import type { HealthProbe } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { ok } from '../../../../../src/domain/shared/result.js';
import { startTlsUpstream } from '../../../../support/gateway/tls-upstream.js';
import { it } from '../../../../support/shared/fixtures.js';
import {
  type OpensslCertificate,
  OpensslCertificates,
  pemChain,
} from '../../../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const prober = new NodeHealthProber();
const timeoutMs = 20_000;
const pki = new OpensslCertificates();
let root: OpensslCertificate;
let server: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  server = pki.server('server', { by: root, names: ['DNS:api.test'] });
});
afterAll(() => pki.remove());

const http = (kind: 'http' | 'http2' | 'http_auto'): HealthProbe => ({
  kind,
  path: '/up',
  expectedStatuses: [200],
  host: null,
});

const targetOf = (port: number, serverName = 'api.test'): ProbedTarget => {
  const prepare = upstreamTlsPreparer(() => Date.now());
  const context = prepare({ authorities: root.certificate, certificate: null, minVersion: '1.2', verifies: true });
  if (!context.ok) throw new Error(context.error);
  const tls = { context: context.value, serverName };
  return { address: { host: '127.0.0.1', port }, authority: 'api.test', tls };
};

const keys = () => ({ cert: pemChain(server), key: server.key });

describe('a health check over TLS', () => {
  it.for([
    ['http', undefined, 'http/1.1'],
    ['http', ['h2', 'http/1.1'], 'http/1.1'],
    ['http2', ['h2', 'http/1.1'], 'h2'],
    ['http_auto', ['h2', 'http/1.1'], 'h2'],
    ['http_auto', undefined, 'http/1.1'],
  ] as const)('of kind %s to a target that offers %s uses %s', async ([kind, offered, used], { cleanUp }) => {
    const alpn = offered === undefined ? {} : { ALPNProtocols: [...offered] };
    const upstream = await startTlsUpstream(cleanUp, { ...keys(), ...alpn });
    expect(await prober.probe(targetOf(upstream.port), http(kind), timeoutMs)).toEqual(ok(undefined));
    expect(upstream.protocols).toEqual([used]);
    expect(upstream.serverNames).toEqual(['api.test']);
  });

  it.for([
    http('http'),
    http('http2'),
    http('http_auto'),
    { kind: 'tcp' } as const,
    { kind: 'grpc', service: '' } as const,
  ])('fails if the certificate is for another name: $kind', async (probe, { cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, { ...keys(), ALPNProtocols: ['h2', 'http/1.1'] });
    const result = await prober.probe(targetOf(upstream.port, 'other.test'), probe, timeoutMs);
    expect(result).toMatchObject({
      ok: false,
      error: expect.stringMatching(/certificate refused: it is for DNS:api\.test/),
    });
  });

  it('of kind tcp needs a complete handshake', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, keys());
    expect(await prober.probe(targetOf(upstream.port), { kind: 'tcp' }, timeoutMs)).toEqual(ok(undefined));
    const plain: Server = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => void plain.close());
    const { port } = plain.address() as { port: number };
    expect(await prober.probe(targetOf(port), { kind: 'tcp' }, 200)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/within 0\.2 s/),
    });
  });
});

describe('a health check over a unix socket', () => {
  it('finds a server, and its absence', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const path = folder.file('app.sock');
    const target: ProbedTarget = { address: { path }, authority: 'localhost', tls: null };
    expect(await prober.probe(target, http('http'), timeoutMs)).toMatchObject({ ok: false });
    let received = '';
    const app = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (octets: Buffer) => {
        received += octets.toString('latin1');
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => app.listen(path, resolve));
    cleanUp.add(() => void app.close());
    expect(await prober.probe(target, http('http'), timeoutMs)).toEqual(ok(undefined));
    expect(received).toContain('Host: localhost\r\n');
    expect(await prober.probe(target, { kind: 'tcp' }, timeoutMs)).toEqual(ok(undefined));
  });
});
