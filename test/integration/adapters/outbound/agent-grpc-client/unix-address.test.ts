import { chmodSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrpcAddress } from '../../../../../src/domain/configuration/network-addresses.js';
import { connectRecorded, grpcConnector } from '../../../../support/shared/grpc-connections.js';
import { RawGrpcAgent } from '../../../../support/shared/raw-grpc-agent.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const unix = (path: string): GrpcAddress => ({ kind: 'unix', path });

describe('a unix address of an agent over gRPC', () => {
  let folder: TemporaryFolder;
  let agent: RawGrpcAgent | null = null;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    agent?.close();
    agent = null;
    folder.remove();
  });

  it('is usable if the own user owns it', async () => {
    agent = await RawGrpcAgent.open({ bindTo: `unix:${folder.file('a.sock')}` });
    const connector = grpcConnector(unix(folder.file('a.sock')));
    expect(await connector.check()).toEqual({ kind: 'ready' });
    const { told } = connectRecorded(connector);
    await agent.greeted();
    await told.isReady();
  });

  it('is usable by a link of the own user', async () => {
    agent = await RawGrpcAgent.open({ bindTo: `unix:${folder.file('a.sock')}` });
    symlinkSync(folder.file('a.sock'), folder.file('b.sock'));
    expect(await grpcConnector(unix(folder.file('b.sock'))).check()).toEqual({ kind: 'ready' });
  });

  it('is absent if the file does not exist', async () => {
    const connector = grpcConnector(unix(folder.file('none.sock')));
    expect(await connector.check()).toMatchObject({ kind: 'absent' });
    expect(await connectRecorded(connector).told.hasEnded()).toMatchObject({ kind: 'ended' });
  });

  it('is refused if it is no socket', async () => {
    const path = folder.write('a.sock', '');
    chmodSync(path, 0o600);
    expect(await grpcConnector(unix(path)).check()).toMatchObject({ kind: 'refused' });
  });

  it('is refused if its path is too long', async () => {
    expect(await grpcConnector(unix(`/${'x'.repeat(120)}`)).check()).toMatchObject({ kind: 'refused' });
  });

  it('is refused while connecting, before any message, for another owner', async () => {
    agent = await RawGrpcAgent.open({ bindTo: `unix:${folder.file('a.sock')}` });
    const connector = grpcConnector(unix(folder.file('a.sock')), { owner: 'no-such-user-here' });
    expect(await connector.check()).toMatchObject({ kind: 'refused' });
    const { told } = connectRecorded(connector, { secret: 'hush' });
    expect(await told.hasEnded()).toMatchObject({ kind: 'refused' });
    expect(agent.streams).toEqual([]);
  });
});
