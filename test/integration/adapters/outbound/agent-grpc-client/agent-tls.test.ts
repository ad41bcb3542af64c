import { createServer, type Server, type Socket } from 'node:net';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgentTls } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type CertificateCast, certificateCast } from '../../../../support/shared/certificate-cast.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { connectRecorded, grpcConnector } from '../../../../support/shared/grpc-connections.js';
import type { OpensslCertificate } from '../../../../support/shared/openssl-certificates.js';
import { RawGrpcAgent } from '../../../../support/shared/raw-grpc-agent.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

describe('TLS to an agent over gRPC', () => {
  const folder = temporaryFolder();
  let cast: CertificateCast;
  let agent: RawGrpcAgent | null = null;
  beforeAll(() => {
    cast = certificateCast();
  });
  afterEach(() => {
    agent?.close();
    agent = null;
  });
  afterAll(() => {
    cast.pki.remove();
    folder.remove();
  });

  const open = async (
    server: OpensslCertificate,
    clientCa: OpensslCertificate | null = null,
  ): Promise<RawGrpcAgent> => {
    const pair = { private_key: Buffer.from(server.key), cert_chain: Buffer.from(server.certificate) };
    const ca = clientCa === null ? null : Buffer.from(clientCa.certificate);
    agent = await RawGrpcAgent.open({ credentials: ServerCredentials.createSsl(ca, [pair], clientCa !== null) });
    return agent;
  };
  const trusting = (members: Partial<AgentTls> = {}): AgentTls => ({
    caCertFile: cast.root.certificateFile,
    certificate: null,
    serverName: null,
    ...members,
  });
  const shown = ({ certificateFile: certFile, keyFile }: OpensslCertificate): Partial<AgentTls> => ({
    certificate: { certFile, keyFile },
  });
  const connect = ({ address }: RawGrpcAgent, tls: AgentTls | null) => connectRecorded(grpcConnector(address, { tls }));

  it('reaches an agent with a certificate for its address', async () => {
    const { told } = connect(await open(cast.server), trusting());
    await (agent as RawGrpcAgent).greeted();
    expect((await told.isReady()).agentId).toBe('raw-1');
  });

  it('reaches an agent with a certificate for the server name', async () => {
    const { told } = connect(await open(cast.server), trusting({ serverName: 'a.example' }));
    await (agent as RawGrpcAgent).greeted();
    expect((await told.isReady()).agentId).toBe('raw-1');
  });

  it.each([
    ['is for another name', () => cast.server, () => trusting({ serverName: 'b.example' })],
    ['is for another address', () => cast.forServers, () => trusting()],
    ['comes from another authority', () => cast.server, () => trusting({ caCertFile: cast.partners.certificateFile })],
    ['comes from no authority that Node knows', () => cast.server, () => trusting({ caCertFile: null })],
    ['has expired', () => cast.expired, () => trusting({ serverName: 'expired' })],
    ['is one for clients', () => cast.bob, () => trusting({ serverName: 'bob' })],
  ])('refuses an agent whose certificate %s before any message', async (_, server, tls) => {
    const { told } = connectRecorded(grpcConnector((await open(server())).address, { tls: tls() }), { secret: 'hush' });
    expect(await told.hasEnded()).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('certificate is not trusted'),
    });
    expect(agent?.streams).toEqual([]);
  });

  it('sends its own certificate if the agent requests one', async () => {
    const { told } = connect(await open(cast.server, cast.root), trusting(shown(cast.bob)));
    await (agent as RawGrpcAgent).greeted();
    expect((await told.isReady()).agentId).toBe('raw-1');
  });

  it.each([
    ['shows none', () => ({})],
    ['shows one of an authority that the agent does not trust', () => shown(cast.stranger)],
  ])('is refused by an agent that requires a certificate if it %s', async (_, members) => {
    const { told } = connect(await open(cast.server, cast.root), trusting(members()));
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
    expect(agent?.streams).toEqual([]);
  });

  it('does not connect to an agent in plaintext', async () => {
    agent = await RawGrpcAgent.open();
    const { told } = connect(agent, trusting());
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
    expect(agent.streams).toEqual([]);
  });

  it('does not connect in plaintext to an agent with TLS', async () => {
    const { told } = connect(await open(cast.server), null);
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
    expect(agent?.streams).toEqual([]);
  });

  it.each([
    ['is missing', () => ({ caCertFile: folder.file('none.pem') })],
    [
      'holds no certificate for the key',
      () => ({ certificate: { certFile: cast.bob.certificateFile, keyFile: cast.alice.keyFile } }),
    ],
    [
      'holds no PEM',
      () => ({ certificate: { certFile: folder.write('no.pem', 'nothing'), keyFile: cast.bob.keyFile } }),
    ],
  ])('does not connect if a file %s, and logs no file content', async (_, members) => {
    const { told } = connect(await open(cast.server), trusting(members()));
    const end = await told.hasEnded();
    expect(end.kind).toBe('refused');
    expect(end.detail).not.toContain('PRIVATE');
    expect(agent?.streams).toEqual([]);
  });

  it('refuses an agent that lost trust by a changed authority file', async () => {
    const caCertFile = folder.write('ca.pem', cast.root.certificate);
    const connector = grpcConnector((await open(cast.server)).address, { tls: trusting({ caCertFile }) });
    const first = connectRecorded(connector);
    await (agent as RawGrpcAgent).greeted();
    await first.told.isReady();
    folder.write('ca.pem', cast.partners.certificate);
    const { told } = connectRecorded(connector);
    expect(await told.hasEnded()).toMatchObject({ kind: 'refused' });
  });

  describe('and a silent peer', () => {
    const sockets: Socket[] = [];
    let server: Server;
    afterEach(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });

    it('times out and leaves no connection', async () => {
      server = createServer((socket) => {
        sockets.push(socket);
        socket.resume();
        socket.on('error', () => {});
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const options = { handshakeTimeoutMs: 100 };
      const connector = grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }, { tls: trusting() }, options);
      const { told } = connectRecorded(connector);
      expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
      await eventually(() => sockets.length === 1 && sockets.every((socket) => socket.destroyed));
    });
  });
});
