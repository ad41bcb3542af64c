import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { NodeListeningSockets } from '../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';
import { builtProgram } from '../../support/shared/running-gateway.js';
import { serviceManagerAt } from '../../support/shared/service-manager.js';
import { endSuccessors, untilGone, upgraded } from '../../support/shared/successors.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const configuration = (address: string): string => `
system { worker-threads 1 }
listeners { listener "main" { address "${address}" } }
routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "health" } }
`;

/** So many sockets on ports of their own, that nobody accepts on. */
const boundSockets = async (cleanUp: CleanUp, count: number) => {
  const sockets = new NodeListeningSockets();
  cleanUp.add(() => sockets.keep(new Set()));
  const keys = Array.from({ length: count }, (_, index) => String(index));
  return Promise.all(keys.map((key) => sockets.open(key, { host: '127.0.0.1', port: 0 }, key)));
};

type Bound = Awaited<ReturnType<typeof boundSockets>>;

/** Started as systemd does: the process has the sockets from its first moment on, and LISTEN_PID is its own number. */
const activated = (
  cleanUp: CleanUp,
  sockets: Bound,
  names: string,
  address: string,
  env: Readonly<Record<string, string>> = {},
) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const pidFile = folder.file('gateway.pid');
  const words = ['--config', folder.write('gateway.kdl', configuration(address)), '--pid-file', pidFile];
  const gateway = startProcess(
    'sh',
    ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', process.execPath, builtProgram('main-gateway'), ...words],
    {
      env: { LISTEN_FDS: String(sockets.length), LISTEN_FDNAMES: names, ...env },
      descriptors: sockets.map(({ fd }) => fd),
    },
  );
  cleanUp.add(() => gateway.stop());
  cleanUp.add(() => endSuccessors(gateway));
  return { gateway, pidFile };
};

const listens = (gateway: RunningProcess) => gateway.wrote(/the gateway listens/);
const textOf = ({ address: { host, port } }: Bound[number]): string => `${host}:${port}`;

describe('a program started by socket activation', () => {
  it('listens on the socket with its address, and logs that the other is unused', async ({ cleanUp }) => {
    const [own, other] = await boundSockets(cleanUp, 2);
    if (!own || !other) throw new Error('there are two sockets');
    const { gateway, pidFile } = activated(cleanUp, [other, own], 'portcullis.socket:portcullis.socket', textOf(own));
    await listens(gateway);
    expect((await call(own.address.port)).status).toBe(200);
    expect(gateway.output()).toMatch(
      /"level":"error"[^\n]*"file_descriptor":3[^\n]*from the service manager is not used/,
    );
    expect(gateway.output()).toContain(textOf(other));
    expect(readFileSync(pidFile, 'utf8')).toBe(`${gateway.pid}\n`);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    expect(existsSync(pidFile)).toBe(false);
  });

  describeWithPeers(['systemd-notify', 'python3'], 'under systemd supervision', () => {
    it('listens on the socket with its name, and reports the main process over an upgrade', async ({ cleanUp }) => {
      const folder = temporaryFolder();
      cleanUp.add(() => folder.remove());
      const systemd = await serviceManagerAt(folder.file('notify'));
      cleanUp.add(() => systemd.close());
      const [socket] = await boundSockets(cleanUp, 1);
      if (!socket) throw new Error('there is a socket');
      const { port } = socket.address;
      const { gateway, pidFile } = activated(cleanUp, [socket], 'main', '127.0.0.1:1', {
        NOTIFY_SOCKET: folder.file('notify'),
      });
      await systemd.told(`READY=1\nMAINPID=${gateway.pid}\nSTATUS=Serves on 127.0.0.1:${port}`);
      expect((await call(port)).status).toBe(200);
      gateway.signal('SIGHUP');
      await gateway.wrote(/the configuration was reloaded/);
      const successor = await upgraded(gateway, gateway.pid);
      await systemd.told(`READY=1\nMAINPID=${successor}`);
      expect(readFileSync(pidFile, 'utf8')).toBe(`${successor}\n`);
      expect((await call(port)).status).toBe(200);
      process.kill(successor, 'SIGTERM');
      await untilGone(successor);
      await systemd.told('STOPPING=1');
      const kinds = systemd.messages.map((message) => message.split('\n')[0]);
      expect(kinds).toEqual(['READY=1', 'RELOADING=1', 'READY=1', 'READY=1', 'STOPPING=1']);
      expect(gateway.output()).not.toContain('"level":"error"');
    });
  });

  it('logs how to start it if the sockets are for another process, and starts without them', async ({ cleanUp }) => {
    const [socket] = await boundSockets(cleanUp, 1);
    if (!socket) throw new Error('there is a socket');
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const file = folder.write('gateway.kdl', configuration('127.0.0.1:0'));
    const gateway = startProcess(process.execPath, [builtProgram('main-gateway'), '--config', file], {
      env: { LISTEN_PID: '1', LISTEN_FDS: '1' },
      descriptors: [socket.fd],
    });
    cleanUp.add(() => gateway.stop());
    await listens(gateway);
    expect(gateway.output()).toMatch(/"level":"warn"[^\n]*ExecStart=/);
  });
});
