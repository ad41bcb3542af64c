import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentUnixSocketServer } from '../../../../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { socketServer } from '../../../../support/shared/agent-transports.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

describe('the socket file of an agent', () => {
  let folder: TemporaryFolder;
  const servers: AgentUnixSocketServer[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.drain(0);
    folder.remove();
  });

  const listen = async (path: string): Promise<AgentUnixSocketServer> => {
    const server = socketServer(path, new FakeAgentService());
    servers.push(server);
    await server.listen();
    return server;
  };

  it.each([0o000, 0o022, 0o077])('has mode 0660 under the umask %o, which stays unchanged', async (umask) => {
    const before = process.umask(umask);
    try {
      await listen(folder.file('a.sock'));
      expect(process.umask()).toBe(umask);
    } finally {
      process.umask(before);
    }
    expect(lstatSync(folder.file('a.sock')).mode & 0o777).toBe(0o660);
  });

  it('is removed after the drain', async () => {
    const server = await listen(folder.file('a.sock'));
    await server.drain(0);
    expect(existsSync(folder.file('a.sock'))).toBe(false);
  });

  it('is replaced if its server is dead', async () => {
    const path = folder.file('a.sock');
    // A server that is killed leaves its file behind.
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(lstatSync(path).isSocket()).toBe(true);
    await listen(path);
    expect(lstatSync(path).mode & 0o777).toBe(0o660);
  });

  it('is kept if a server answers on it', async () => {
    const path = folder.file('a.sock');
    await listen(path);
    await expect(listen(path)).rejects.toMatchObject({
      code: 'in_use',
      message: `${path} is already in use by another process`,
    });
    expect(existsSync(path)).toBe(true);
  });

  it('is kept if it is no socket', async () => {
    const path = folder.write('precious', 'data');
    await expect(listen(path)).rejects.toMatchObject({ code: 'not_a_socket' });
    expect(readFileSync(path, 'utf8')).toBe('data');
    mkdirSync(folder.file('directory'));
    await expect(listen(folder.file('directory'))).rejects.toMatchObject({ code: 'not_a_socket' });
  });

  it('needs an existing directory', async () => {
    const path = folder.file('none/a.sock');
    await expect(listen(path)).rejects.toMatchObject({
      code: 'no_directory',
      message: `the directory of ${path} does not exist`,
    });
  });

  it('must not have a path that is too long', async () => {
    await expect(listen(folder.file('x'.repeat(120)))).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('too long'),
    });
  });
});
