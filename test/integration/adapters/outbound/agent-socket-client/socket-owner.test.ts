import { chownSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSocketOwner } from '../../../../../src/adapters/outbound/agent-socket-client/socket-owner.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { socketClient } from '../../../../support/shared/agent-transports.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { rawAgent } from '../../../../support/shared/raw-agent-peer.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const strangerId = 54_321;
const isRoot = process.getuid?.() === 0;

describe('the owner of an agent socket', () => {
  let folder: TemporaryFolder;
  let server: Server;
  let path: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    path = folder.file('a.sock');
    server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
  });

  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    folder.remove();
  });

  it('may be the own user', async () => {
    expect(await checkSocketOwner(path, null)).toEqual({ kind: 'trusted' });
  });

  it('is absent without a file', async () => {
    expect(await checkSocketOwner(folder.file('none'), null)).toEqual({ kind: 'absent' });
  });

  it('is not checked for a file that is no socket', async () => {
    expect(await checkSocketOwner(folder.write('file', ''), null)).toEqual({
      kind: 'refused',
      reason: 'it is not a socket',
    });
  });

  it('is not checked for a path that Node would truncate', async () => {
    expect(await checkSocketOwner(folder.file('x'.repeat(120)), null)).toMatchObject({ kind: 'refused' });
  });

  it('is found by name, and an unknown name is an error', async () => {
    for (const known of ['root', userInfo().username, '12345']) {
      expect(await checkSocketOwner(path, known)).toEqual({ kind: 'trusted' });
    }
    for (const unknown of ['no-such-user', 'roo', '']) {
      expect(await checkSocketOwner(path, unknown)).toEqual({
        kind: 'refused',
        reason: `there is no user "${unknown}"`,
      });
    }
  });

  // Only root can give a file away.
  it.runIf(isRoot)('must be the configured owner', async () => {
    chownSync(path, strangerId, strangerId);
    expect(await checkSocketOwner(path, null)).toMatchObject({ kind: 'refused' });
    expect(await checkSocketOwner(path, '54322')).toMatchObject({ kind: 'refused' });
    expect(await checkSocketOwner(path, String(strangerId))).toEqual({ kind: 'trusted' });
  });

  it.runIf(isRoot)('is checked behind a link too', async () => {
    symlinkSync(path, folder.file('link'));
    expect(await checkSocketOwner(folder.file('link'), null)).toEqual({ kind: 'trusted' });
    chownSync(path, strangerId, strangerId);
    expect(await checkSocketOwner(folder.file('link'), null)).toMatchObject({ kind: 'refused' });
  });

  it.runIf(isRoot)('that is unexpected gets no handshake and no secret', async () => {
    const logger = new RecordingLogger();
    const strangers = folder.file('stranger.sock');
    const agent = await rawAgent(strangers);
    chownSync(strangers, strangerId, strangerId);
    const client = socketClient(strangers, { config: { 'jwt-secret': 'top' } }, {}, logger);
    client.start();
    await eventually(() => logger.lines.length > 0);
    expect(await client.ask(headersEvent('a'))).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(agent.peers).toHaveLength(0);
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { agent: 'auth' } }]);
    await client.stop(0);
    await agent.close();
  });
});
