import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type ChannelCredentials, status as codes, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentGrpcServer } from '../../../../../src/adapters/inbound/agent-grpc/agent-grpc-server.js';
import type { GrpcServerTls } from '../../../../../src/adapters/inbound/agent-grpc/grpc-server-options.js';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { grpcServer, localPort } from '../../../../support/shared/grpc-server.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';
import { grpcHandshake, grpcHead, RawGrpcGateway } from '../../../../support/shared/raw-grpc-gateway.js';

describe('an AgentGrpcServer with TLS', () => {
  let pki: OpensslCertificates;
  let root: OpensslCertificate;
  let stranger: OpensslCertificate;
  let agent: OpensslCertificate;
  let trusted: OpensslCertificate;
  let untrusted: OpensslCertificate;
  let service: FakeAgentService;
  let server: AgentGrpcServer | null = null;
  const gateways: RawGrpcGateway[] = [];

  beforeAll(() => {
    pki = new OpensslCertificates();
    root = pki.authority('root');
    stranger = pki.authority('stranger');
    agent = pki.server('agent', { by: root, names: ['DNS:localhost', 'IP:127.0.0.1'] });
    trusted = pki.client('gateway', { by: root });
    untrusted = pki.client('other', { by: stranger });
  });

  afterAll(() => pki.remove());

  beforeEach(() => {
    service = new FakeAgentService();
  });

  afterEach(async () => {
    for (const gateway of gateways.splice(0)) gateway.close();
    await server?.drain(0);
    server = null;
  });

  const tls = (members: Partial<GrpcServerTls> = {}): GrpcServerTls => ({
    certPem: agent.certificate,
    keyPem: agent.key,
    clientCaPem: null,
    ...members,
  });

  const listen = (settings: GrpcServerTls, options: Parameters<typeof grpcServer>[2] = {}): Promise<string> => {
    server = grpcServer(service, { ...localPort, tls: settings }, options);
    return server.listen();
  };

  const showing = (client: OpensslCertificate | null, authority = root): ChannelCredentials =>
    credentials.createSsl(
      Buffer.from(authority.certificate),
      client && Buffer.from(client.key),
      client && Buffer.from(client.certificate),
    );

  const gateway = async (address: string, channel: ChannelCredentials): Promise<RawGrpcGateway> => {
    const connected = await RawGrpcGateway.connect(address, channel);
    gateways.push(connected);
    return connected;
  };

  const portOf = (address: string): number => Number(address.split(':')[1]);

  it('serves a gateway that trusts its certificate', async () => {
    const stream = await (await gateway(await listen(tls()), showing(null))).greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([{ correlation_id: 'a', decision: 'allow' }]);
  });

  it('serves a gateway with a certificate of a configured authority', async () => {
    const address = await listen(tls({ clientCaPem: root.certificate }));
    const stream = await (await gateway(address, showing(trusted))).greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([{ correlation_id: 'a', decision: 'allow' }]);
  });

  it.each<readonly [string, () => OpensslCertificate | null]>([
    ['without a certificate', () => null],
    ['with a certificate of another authority', () => untrusted],
    ['with a certificate that is for servers alone', () => agent],
  ])('refuses a gateway %s', async (_, shown) => {
    const address = await listen(tls({ clientCaPem: root.certificate }));
    const stream = (await gateway(address, showing(shown()))).processStream();
    stream.send(grpcHandshake, grpcHead('a'));
    expect((await stream.ended()).code).toBe(codes.UNAVAILABLE);
    expect(service.configs).toEqual([]);
    expect(service.events).toEqual([]);
  });

  it('uses reloaded certificates and authorities only for new connections', async () => {
    const address = await listen(tls({ clientCaPem: root.certificate }));
    const earlier = await (await gateway(address, showing(trusted))).greeted();
    const renewed = pki.server('renewed', { by: stranger, names: ['IP:127.0.0.1'] });
    const other = tls({ certPem: renewed.certificate, keyPem: renewed.key, clientCaPem: stranger.certificate });
    const putInForce = server?.prepareTls(other);
    await (await gateway(address, showing(trusted))).greeted();
    putInForce?.();
    await (await gateway(address, showing(untrusted, stranger))).greeted();
    const refused = (await gateway(address, showing(trusted, stranger))).processStream();
    refused.send(grpcHandshake);
    expect((await refused.ended()).code).toBe(codes.UNAVAILABLE);
    earlier.send(grpcHead('a'));
    expect(await earlier.received('response')).toMatchObject([{ correlation_id: 'a', decision: 'allow' }]);
  });

  it('keeps its certificate if the new one is invalid', async () => {
    const address = await listen(tls());
    expect(() => server?.prepareTls(tls({ keyPem: trusted.key }))).toThrow(/certificate and key/);
    expect(() => server?.prepareTls(tls({ clientCaPem: 'none' }))).toThrow(/client CA/);
    await (await gateway(address, showing(null))).greeted();
  });

  it('refuses plaintext', async () => {
    const address = await listen(tls(), { handshakeTimeoutMs: 200 });
    const stream = (await gateway(address, credentials.createInsecure())).processStream();
    stream.send(grpcHandshake);
    expect((await stream.ended()).code).toBe(codes.UNAVAILABLE);
    expect(service.configs).toEqual([]);
  });

  it('has a deadline for the TLS handshake and for HTTP/2', async () => {
    const address = await listen(tls(), { handshakeTimeoutMs: 100 });
    const silent = connectPlain(portOf(address), '127.0.0.1');
    const secure = { port: portOf(address), host: '127.0.0.1', ca: root.certificate };
    const sockets = [silent, connectTls(secure), connectTls({ ...secure, ALPNProtocols: ['http/1.1'] })];
    const ends = sockets.map((socket) => {
      socket.on('error', () => {});
      socket.resume();
      return new Promise((resolve) => socket.on('close', resolve));
    });
    await Promise.all(ends);
    await expect.poll(() => server?.connections).toBe(0);
  });

  it('accepts TLS 1.2 and later', async () => {
    const address = await listen(tls());
    const options = { port: portOf(address), host: '127.0.0.1', ca: root.certificate, ALPNProtocols: ['h2'] };
    const old = connectTls({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
    await expect(once(old, 'secureConnect')).rejects.toThrow();
    const recent: TLSSocket = connectTls({ ...options, maxVersion: 'TLSv1.2' });
    await once(recent, 'secureConnect');
    expect(recent.getProtocol()).toBe('TLSv1.2');
    recent.destroy();
  });

  it.each<readonly [string, () => Partial<GrpcServerTls>]>([
    ['the key of another certificate', () => ({ keyPem: trusted.key })],
    ['a key that is none', () => ({ keyPem: 'secret' })],
    ['a certificate that is none', () => ({ certPem: 'none' })],
    ['an empty certificate', () => ({ certPem: '' })],
    ['an empty key', () => ({ keyPem: '' })],
    ['client authorities that are none', () => ({ clientCaPem: 'none' })],
  ])('does not start with %s, and does not print it', async (_, members) => {
    const failed = listen(tls(members()));
    await expect(failed).rejects.toMatchObject({ name: 'AgentGrpcError', code: 'certificate' });
    await expect(failed).rejects.not.toThrow(/secret/);
  });
});
