import { existsSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentGrpcServer } from '../../../../../src/adapters/inbound/agent-grpc/agent-grpc-server.js';
import type { GrpcAddress } from '../../../../../src/domain/configuration/network-addresses.js';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { grpcServer } from '../../../../support/shared/grpc-server.js';
import { grpcHead, RawGrpcGateway } from '../../../../support/shared/raw-grpc-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

describe('the address of an AgentGrpcServer', () => {
  let folder: TemporaryFolder;
  const servers: AgentGrpcServer[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
  });

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.drain(0)));
    folder.remove();
  });

  const listen = (address: GrpcAddress): Promise<string> => {
    const server = grpcServer(new FakeAgentService(), { address, tls: null });
    servers.push(server);
    return server.listen();
  };

  it('is a socket file for only its user and group, removed at the end', async () => {
    const path = folder.file('agent.sock');
    const address = await listen({ kind: 'unix', path });
    expect(address).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o660);
    const gateway = await RawGrpcGateway.connect(address);
    const stream = await gateway.greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([{ decision: 'allow' }]);
    gateway.close();
    await servers[0]?.drain(0);
    expect(existsSync(path)).toBe(false);
  });

  it('cannot be a socket file in use, or another kind of file', async () => {
    const path = folder.file('agent.sock');
    await listen({ kind: 'unix', path });
    await expect(listen({ kind: 'unix', path })).rejects.toMatchObject({ code: 'in_use' });
    const other = folder.file('text');
    writeFileSync(other, 'text');
    await expect(listen({ kind: 'unix', path: other })).rejects.toMatchObject({ code: 'not_a_socket' });
    expect(existsSync(other)).toBe(true);
  });

  it('is a free port', async () => {
    const address = await listen({ kind: 'tcp', host: '127.0.0.1', port: 0 });
    const port = Number(address.slice('127.0.0.1:'.length));
    expect(port).toBeGreaterThan(0);
    await expect(listen({ kind: 'tcp', host: '127.0.0.1', port })).rejects.toMatchObject({
      name: 'AgentGrpcError',
      code: 'in_use',
      message: `${address} is already in use by another process`,
    });
  });

  it('cannot be an address of another machine', async () => {
    await expect(listen({ kind: 'tcp', host: '192.0.2.1', port: 0 })).rejects.toMatchObject({ code: 'address' });
  });
});
